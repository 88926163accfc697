# An image of the tarball that `make dist` wrote:
#   make dist && docker build --tag smlm-exp .
#   docker run --rm --volume "$PWD:/work" smlm-exp run mine.toml
FROM debian:bookworm-slim

# ADD unpacks it; its one folder is named after the commit. Keep one tarball in dist.
ADD dist/smlm-exp-*-linux-x86_64.tar.gz /opt/
RUN mv /opt/smlm-exp-* /opt/smlm-exp \
 && ln -s /opt/smlm-exp/bin/smlm-exp /usr/local/bin/smlm-exp \
 && useradd --create-home --uid 1000 smlm
USER 1000
WORKDIR /work
ENTRYPOINT ["smlm-exp"]
CMD ["--help"]
