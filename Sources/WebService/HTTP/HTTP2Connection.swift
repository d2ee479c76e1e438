import NIOCore
import NIOHTTP2
import NIOHTTPTypesHTTP2
import ServiceRuntime

/// The end of an HTTP/2 connection. It is between NIO's handler of frames and its handler of
/// connections (`NIOHTTP2ServerConnectionManagementHandler`), which drains and pings.
final class HTTP2Connection: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let connection: WebConnection

    private init(_ connection: WebConnection) {
        self.connection = connection
    }

    /// Adds the handlers of HTTP/2 to a connection that is open already.
    /// - Throws: a pipeline error when the channel is closing.
    static func addHandlers(to channel: any Channel, _ connection: WebConnection) throws {
        let loop = channel.eventLoop
        let limits = connection.shared.limits
        let management = NIOHTTP2ServerConnectionManagementHandler(
            eventLoop: loop,
            // Idle time and age are limited by `WebConnection`, for both versions.
            configuration: .init(
                maxIdleTime: nil, maxAge: nil, maxGraceTime: nil,
                keepalive: .init(
                    pingInterval: TimeAmount(limits.keepaliveInterval),
                    ackTimeout: TimeAmount(limits.keepaliveTimeout))))
        let bound = NIOLoopBound(connection, eventLoop: loop)
        let pipeline = channel.pipeline.syncOperations
        _ = try pipeline.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: connectionConfiguration(limits),
            streamConfiguration: streamConfiguration(limits),
            streamDelegate: management.http2StreamDelegate,
            inboundStreamInitializer: { stream in
                stream.eventLoop.makeCompletedFuture {
                    try stream.pipeline.syncOperations.addHandlers([
                        HTTP2FramePayloadToHTTPServerCodec(), HTTPStream(bound.value),
                    ])
                }
            })
        try pipeline.addHandlers([HTTP2Connection(connection), management])
        // Its timers start with this event, which has passed.
        management.channelActive(context: try pipeline.context(handler: management))
    }

    private static func connectionConfiguration(
        _ limits: WebLimits
    ) -> NIOHTTP2Handler.ConnectionConfiguration {
        var configuration = NIOHTTP2Handler.ConnectionConfiguration()
        configuration.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streamsMax),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.headerBytesMax),
            HTTP2Setting(parameter: .initialWindowSize, value: limits.streamWindowBytes),
        ]
        configuration.maximumSequentialContinuationFrames = limits.continuationFramesMax
        configuration.maximumConnectionGlitches = limits.glitchesMax
        configuration.maximumBufferedControlFrames = limits.controlFramesMax * 10
        configuration.controlFrameRateLimit.maximumCount = limits.controlFramesMax
        configuration.targetWindowSize = 8 * limits.streamWindowBytes
        return configuration
    }

    private static func streamConfiguration(
        _ limits: WebLimits
    ) -> NIOHTTP2Handler.StreamConfiguration {
        var configuration = NIOHTTP2Handler.StreamConfiguration()
        configuration.targetWindowSize = limits.streamWindowBytes
        configuration.outboundBufferSizeHighWatermark = limits.streamWindowBytes
        configuration.outboundBufferSizeLowWatermark = limits.streamWindowBytes / 2
        configuration.streamResetFrameRateLimit.maximumCount = limits.resetsMax
        configuration.streamErrorRateLimit.maximumCount = limits.resetsMax
        return configuration
    }

    /// After a GOAWAY of the next handler the connection must end. That handler itself waits for
    /// the client's answer, which a hostile client never sends.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .goAway = unwrapOutboundIn(data).payload {
            connection.closes(within: connection.shared.limits.goAwayTimeout)
        }
        context.write(data, promise: promise)
    }

    /// The handler of frames has sent its GOAWAY already.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is NIOHTTP2Errors.NoSuchStream, is NIOHTTP2Errors.StreamClosed:
            break  // a frame that crossed with the end of its stream
        default:
            connection.loop.figures.refused(.malformed)
            context.close(promise: nil)
        }
    }
}
