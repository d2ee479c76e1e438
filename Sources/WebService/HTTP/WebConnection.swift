import Addresses
import HTTPTypes
import NIOCore
import RPC
import ServiceRuntime
import Synchronization

/// One connection of the listener: who its client is, its admission, its deadlines and its bytes.
/// It comes before all other handlers, and its state is used only on the connection's event loop.
final class WebConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    let shared: WebShared
    let loop: WebLoop
    /// The client, as requests see it.
    private(set) var client: HTTPClientInfo
    /// Whom it counts for, and its requests, unless a trusted proxy names the client of each.
    private var network: ClientNetwork?
    private var place: WebLoop.ConnectionPlace?
    /// Requests that hold a place.
    private var placeCount = 0
    /// Requests whose tasks have not returned, or whose response is not yet taken. A task that was
    /// cancelled may still run.
    private(set) var runningCount = 0
    /// Bytes from the client so far.
    private(set) var receivedBytes = 0
    /// Its handler of HTTP/2, if it speaks that.
    weak var http2: HTTP2Connection?
    /// No more requests are read; what still arrives is dropped.
    private(set) var isClosing = false
    /// The rest of what the client sends is not read: it has sent what cannot be.
    var isInputDropped = false
    /// Where the requests of HTTP/1.1 begin and end.
    var requestLines = RequestLines()
    private var isVersionKnown = false
    private var isUsed = false
    private var channelContext: ChannelHandlerContext?
    private var deadlines: Deadlines
    /// When the client was first seen not to take what was written.
    private var unwritableSince: Duration?

    /// When a connection ends, on the uptime clock.
    private struct Deadlines {
        /// For the whole fields of a request.
        var header: Duration?
        /// Without a request.
        var idle: Duration?
        /// The connection's maximum age.
        var age: Duration?
        /// The end of a connection that accepts no more requests.
        var close: Duration?
    }

    init(
        _ shared: WebShared, _ loop: WebLoop, peer: ClientAddress, isFromTrustedProxy: Bool,
        isTLS: Bool
    ) {
        self.shared = shared
        self.loop = loop
        client = HTTPClientInfo(
            peer: peer, isFromTrustedProxy: isFromTrustedProxy, isTLS: isTLS, isHTTP2: false)
        network = shared.network(of: peer)
        let now = shared.time.uptime()
        let thousandths = 900 + Int(shared.randomness.integer() % 201)
        deadlines = Deadlines(
            header: now + shared.limits.headerTimeout,
            age: now + shared.limits.connectionAgeMax / 1_000 * thousandths)
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) { channelContext = context }

    func handlerRemoved(context: ChannelHandlerContext) { channelContext = nil }

    func channelActive(context: ChannelHandlerContext) {
        loop.add(self)
        guard admit() else { return context.close(promise: nil) }
        context.fireChannelActive()
        if shared.isDraining.load(ordering: .acquiring) { drain() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        loop.remove(self)
        channelContext = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        receivedBytes &+= count
        loop.figures.receivedBytes.add(count)
        if runningCount == 0, !client.isHTTP2, deadlines.header == nil {
            deadlines.header = shared.time.uptime() + shared.limits.headerTimeout
        }
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { unwritableSince = nil }
        context.fireChannelWritabilityChanged()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        loop.figures.sentBytes.add(unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }

    // MARK: Admission

    /// Takes a place for the connection's client.
    private func admit() -> Bool {
        place = loop.arrive(self, from: network, at: shared.time.uptime())
        return place != nil
    }

    private func leave() {
        if let place = place.take() { loop.connectionLeft(place) }
    }

    /// Whom a request counts for. The fields of a trusted proxy name its client.
    func network(of head: HTTPRequest) -> ClientNetwork? {
        guard client.isFromTrustedProxy else { return network }
        return shared.network(
            of: ForwardedAddress.of(
                peer: client.peer, isFromTrustedProxy: true,
                forwarded: head.headerFields[values: CallerField.forwarded],
                xForwardedFor: head.headerFields[values: CallerField.xForwardedFor],
                trusted: shared.settings.trustedProxies))
    }

    /// A trusted proxy has named its client, or with nil has not: then the client is the proxy.
    /// - Returns: whether the connection may continue.
    func setClient(_ peer: ClientAddress?) -> Bool {
        guard let peer else {
            // Such a proxy forwards TCP. If it does not know its client, that client has still
            // written the fields, and could choose its address in them.
            client = HTTPClientInfo(
                peer: client.peer, isFromTrustedProxy: false, isTLS: client.isTLS, isHTTP2: false)
            return true
        }
        // The fields of the request come from the client now. They count only if that is a trusted
        // proxy too: a proxy that forwards TCP passes on any `forwarded` of the client's own.
        client = HTTPClientInfo(
            peer: peer, isFromTrustedProxy: shared.isTrustedProxy(peer), isTLS: client.isTLS,
            isHTTP2: false)
        network = shared.network(of: peer)
        leave()
        return admit()
    }

    /// Adds the handlers of the version of HTTP, which is known now.
    /// - Throws: a pipeline error when the channel is closing; `HTTP2Session.Unavailable`.
    func install(http2: Bool, on channel: any Channel) throws {
        isVersionKnown = true
        client = HTTPClientInfo(
            peer: client.peer, isFromTrustedProxy: client.isFromTrustedProxy, isTLS: client.isTLS,
            isHTTP2: http2)
        guard http2 else {
            loop.figures.http1.add()
            return try HTTP1Connection.addHandlers(to: channel, self)
        }
        loop.figures.http2.add()
        // Clients connect before they have a request.
        deadlines.header = nil
        deadlines.idle = shared.time.uptime() + shared.limits.idleTimeout
        try HTTP2Connection.addHandlers(to: channel, self)
    }

    // MARK: Requests

    /// The head of a request has arrived.
    func requestArrived() {
        deadlines.header = nil
        deadlines.idle = nil
        guard !isUsed else { return }
        isUsed = true
        if var used = place.take() {
            loop.connectionUsed(&used)
            place = used
        }
    }

    /// A request takes its place.
    /// - Returns: nil if there is none.
    func arrive(_ exchange: RunningExchange) -> ClientPlaces<RunningExchange>.ID? {
        // A client may reset a stream and open the next one while the first one's task still runs
        // (rapid reset); then the number of its tasks is limited by this alone.
        guard runningCount < shared.limits.streamsMax,
            let request = loop.arrive(exchange, from: network(of: exchange.head))
        else { return nil }
        runningCount += 1
        placeCount += 1
        if placeCount == 1, let place { loop.connection(place, idleSince: nil) }
        return request
    }

    /// A request gives up its place: it has ended, or ends for another one. A connection without
    /// such a request can end for another one too.
    func requestLeft(_ request: ClientPlaces<RunningExchange>.ID) {
        loop.requestLeft(request)
        placeCount -= 1
        guard placeCount == 0, let place else { return }
        loop.connection(place, idleSince: shared.time.uptime())
    }

    /// A request's task has returned, and its response is taken or dropped.
    func requestEnded(_ began: Duration) {
        runningCount -= 1
        let now = shared.time.uptime()
        loop.figures.took(now - began)
        requestAnswered(at: now)
    }

    /// The connection is idle, if no request runs.
    func requestAnswered(at now: Duration) {
        if !isBusy { deadlines.idle = now + shared.limits.idleTimeout }
    }

    /// A request runs, or its response is not yet sent.
    private var isBusy: Bool { runningCount > 0 || http2?.isBusy == true }

    // MARK: Deadlines

    /// Checks the deadlines; called at each `checkInterval`.
    func check(at now: Duration) {
        func isOver(_ due: Duration?) -> Bool { due.map { $0 <= now } ?? false }
        if isOver(deadlines.close) { return close() }
        guard !isClosing else { return }
        if isOver(deadlines.header) {
            loop.figures.refused(.slowHeader)
            return close()
        }
        if isUnwritable(for: shared.limits.writeTimeout, at: now) {
            loop.figures.refused(.slowReader)
            return close()
        }
        if isOver(deadlines.idle) || isOver(deadlines.age) {
            endGracefully(within: isBusy ? shared.limits.goAwayTimeout : .zero)
        }
        http2?.check(at: now)
    }

    /// Whether the client has taken nothing for so long.
    private func isUnwritable(for timeout: Duration, at now: Duration) -> Bool {
        guard channelContext?.channel.isWritable == false else { return false }
        let since = unwritableSince ?? now
        unwritableSince = since
        return now - since >= timeout
    }

    /// Accepts no more requests, and closes when the running ones have ended.
    func drain() { endGracefully(within: shared.limits.drainTimeout) }

    private func endGracefully(within timeout: Duration) {
        guard let channelContext else { return }
        guard isVersionKnown else { return close() }
        deadlines.idle = nil
        deadlines.age = nil
        // A client has this long to acknowledge the GOAWAY, even without requests.
        closes(within: max(timeout, shared.limits.lingerTimeout))
        channelContext.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    /// The connection is closed after `timeout` at the latest.
    func closes(within timeout: Duration) {
        let due = shared.time.uptime() + timeout
        deadlines.close = min(due, deadlines.close ?? due)
    }

    /// Closes the connection at once.
    func close() {
        isClosing = true
        channelContext?.close(promise: nil)
    }

    /// Closes our side when `rest` is sent. The other side is closed by the client, or after
    /// `WebLimits.lingerTimeout`: TCP resets a connection that is closed with unread input, or to
    /// which the client still sends, and the last response would be lost.
    /// - Parameter context: of the handler that writes `rest`.
    func closeOutput(after rest: ByteBuffer, _ context: ChannelHandlerContext) {
        isClosing = true
        closes(within: shared.limits.writeTimeout)
        let sent = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(NIOAny(IOData.byteBuffer(rest)), promise: sent)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        sent.futureResult.whenComplete { _ in
            let (connection, context) = bound.value
            guard context.channel.isActive else { return }
            connection.closes(within: connection.shared.limits.lingerTimeout)
            context.close(mode: .output, promise: nil)
            context.read()
        }
    }

    /// Completes when the connection is closed.
    var closeFuture: EventLoopFuture<Void>? { channelContext?.channel.closeFuture }
}
