/*
 * Version of this software.  Responses contain the version of the API.
 */

#ifndef RBL_VERSION_H_INCLUDED
#define RBL_VERSION_H_INCLUDED

#define RBL_VERSION  "0.1.0"

#endif /* RBL_VERSION_H_INCLUDED */
