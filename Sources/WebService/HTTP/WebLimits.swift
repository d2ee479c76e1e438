import ServiceRuntime

/// The limits of the web service's listener. Each says what fills it and what happens then.
package struct WebLimits: Sendable, Hashable {
    /// Bytes of a request's line and fields, and of each of them: twice what browsers send with
    /// many cookies. More is answered with 431; on HTTP/2 the connection ends.
    package var headerBytesMax = 16 * 1024
    /// Fields of a request; more is answered with 431, on HTTP/2 the connection ends. Each costs
    /// more memory than its bytes.
    package var headerFieldsMax = 100
    /// Bytes that a chunked body may have beside its content, in addition to `chunkOverheadFactor`
    /// for each byte of it: extensions of chunks have no end by themselves (CVE-2023-39326), and
    /// the parser skips them. A record of TLS counts before it is complete. More is answered with
    /// 400.
    package var chunkOverheadBytesMax = 64 * 1024
    /// Bytes beside each byte of content: a chunk of one byte in a TLS record of its own has 28.
    package var chunkOverheadFactor = 32
    /// Requests that one HTTP/2 connection may have open at once. More streams are refused with
    /// REFUSED_STREAM, and clients repeat them; the connection of a client that knows the limit
    /// ends.
    package var streamsMax = 100
    /// Bytes of a request's body that a client may send before they are taken: one round trip for
    /// most requests. The HTTP/2 window.
    package var streamWindowBytes = 64 * 1024
    /// Requests of an HTTP/1.1 connection that wait for the one before them (pipelining). A client
    /// that sends more without reading fills our memory; its connection is closed.
    package var pipelinedMax = 32
    /// Time from the first byte of a request to the end of its fields, and from the connection to
    /// its first request. A client that sends a byte now and then (Slowloris) holds a connection
    /// for no longer.
    package var headerTimeout = Duration.seconds(10)
    /// Time for the whole body of a unary request, and of a stream that waits for its request or is
    /// answered by this program; it is answered with 408 then: 35 kbit/s for the largest.
    package var bodyTimeout = Duration.seconds(30)
    /// Time without a request after which a connection ends. It costs memory, and a new one costs
    /// the client a few milliseconds.
    package var idleTimeout = Duration.seconds(60)
    /// Time in which a client must take `writeBytesMin` of a response, or the rest of it. One that
    /// reads nothing or next to nothing, or gives no HTTP/2 window, holds memory and a task; its
    /// stream or connection is closed.
    package var writeTimeout = Duration.seconds(30)
    /// Bytes of a response that a client must take within `writeTimeout`: 9 kbit/s. On HTTP/1.1 it
    /// must bring the channel from its high-water mark of 64 KiB below the low one of 32 KiB.
    package var writeBytesMin = 32 * 1024
    /// Time for the client to close a connection after our side. If it were closed at once with
    /// unread input, TCP would reset it and the last response would be lost.
    package var lingerTimeout = Duration.seconds(2)
    /// Connections at once, each event loop with its share. For one more, one without a request
    /// ends (`ClientPlaces`). Each costs up to 25 KiB, or 64 KiB with TLS.
    package var connectionsMax = 10_000
    /// Connections at once from one IPv4 address, or one IPv6 /64; for one more, one of its own
    /// without a request ends. A browser opens up to six. Loopback addresses and trusted proxies
    /// are exempt.
    package var connectionsPerAddressMax = 200
    /// The same of one IPv6 /48, which a customer may have. Each share of a site is twice that of
    /// an address, so that one /64 leaves as much to its neighbours.
    package var connectionsPerSiteMax = 400
    /// Connections without a first request; above it the oldest of the site with most of them is
    /// closed, so that a flood of handshakes displaces itself and not the clients that send.
    package var connectionsUnusedMax = 1_000
    /// Age at which a connection ends, so that clients find other instances again. It varies by up
    /// to a tenth, so that connections opened together do not end together.
    package var connectionAgeMax = Duration.seconds(3_600)
    /// Time for the requests of a connection after its GOAWAY; then it is closed.
    package var goAwayTimeout = Duration.seconds(60)
    /// Time for running requests and streams when the server stops; then their connections are
    /// closed. A second is for the next check of the connections, and one for the rest of the stop:
    /// the kernel kills a program that has not stopped in time, and its last metrics and traces are
    /// lost.
    package var drainTimeout = ProgramLifecycle.drainWithin - .seconds(2)
    /// Requests that run at once, or whose response was not taken, over all connections, each
    /// event loop with its share. For one more, one that waits for its own client ends
    /// (`ClientPlaces`); if none waits, it is answered with 503. Each holds up to 400 KiB. The
    /// gateway has its own admission control.
    package var requestsMax = 2_000
    /// Of them, those from one IPv4 address, or one IPv6 /64; for one more, one of its own that
    /// waits for it ends, or it is answered with 503. Loopback addresses and trusted proxies are
    /// exempt, but not the clients that these name.
    package var requestsPerAddressMax = 400
    /// The same of one IPv6 /48.
    package var requestsPerSiteMax = 800
    /// Streams that a client resets in 30 s, and as many that it makes us reset; then the connection
    /// is closed with ENHANCE_YOUR_CALM (rapid reset, CVE-2023-44487). A browser that reloads resets
    /// a few dozen.
    package var resetsMax = 200
    /// PING, SETTINGS and empty DATA frames of a client in 30 s: each costs a response, or has no
    /// use. Then the connection is closed. A client's keepalive sends three.
    package var controlFramesMax = 100
    /// CONTINUATION frames of one header block (CVE-2024-27316): a header of 16 KiB needs one.
    package var continuationFramesMax = 5
    /// Frames of HTTP/2 that wait for a client that does not read; then it is closed.
    package var waitingFramesMax = 1_000
    /// Time without a frame from an HTTP/2 client after which it is pinged.
    package var keepaliveInterval = Duration.seconds(30)
    /// Time for the answer to a ping; then the connection ends.
    package var keepaliveTimeout = Duration.seconds(20)
    /// How often the timeouts of connections are checked: one timer for all connections of an event
    /// loop. They are late by no more than this.
    package var checkInterval = Duration.seconds(1)

    /// The defaults.
    package init() {}

    /// The places of connections.
    var connections: PlaceBounds {
        PlaceBounds(
            total: connectionsMax, perAddress: connectionsPerAddressMax,
            perSite: connectionsPerSiteMax)
    }

    /// The places of requests.
    var requests: PlaceBounds {
        PlaceBounds(
            total: requestsMax, perAddress: requestsPerAddressMax, perSite: requestsPerSiteMax)
    }
}
