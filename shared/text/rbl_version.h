/*
 * The version of this software; that of the API is in its answers.
 */

#ifndef RBL_VERSION_H_INCLUDED
#define RBL_VERSION_H_INCLUDED

#define RBL_VERSION  "0.1.0"

#endif /* RBL_VERSION_H_INCLUDED */
