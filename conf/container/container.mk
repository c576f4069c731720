# make container: the folder $(BUILD)/container, with the packages, in which an
# engine builds and runs the containers.  They have the Debian release of this
# machine, or of SUITE, since the packages are for it.

.PHONY: container container-check

container: deb
	@rm -rf $(BUILD)/container
	@mkdir -p $(BUILD)/container/packages $(BUILD)/container/tls
	@cp $(BUILD)/deb/*.deb $(BUILD)/container/packages
	@cd conf/container && cp compose.yaml *.conf start.sh \
	    $(abspath $(BUILD))/container
	@sed "s/^ARG SUITE=.*/ARG SUITE=$$(. /etc/os-release \
	    && echo $$VERSION_CODENAME)/" conf/container/Containerfile \
	    >$(BUILD)/container/Containerfile
	@echo $(BUILD)/container

# Builds and runs them, with an engine or without; needs root and the network.
container-check: container
	@sh conf/deps.sh container
	@sh t/packaging/container.sh $(BUILD)/container
