# lockvet lists and compiles packages with the go command, so the image has one.
FROM golang:1.26
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/lockvet /usr/local/bin/lockvet
WORKDIR /src
ENTRYPOINT ["lockvet"]
CMD ["./..."]
