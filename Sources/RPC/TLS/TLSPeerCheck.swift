import CoreMetrics
import NIOCore
import NIOSSL
import NIOTLS

/// Checks a connection when its TLS handshake completes: rejects peers that negotiated another
/// protocol, and checks the peer's certificate. Then it removes itself from the pipeline.
final class TLSPeerCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    enum Side: String {
        case server
        case client
    }

    private let side: Side
    private let handler: NIOSSLHandler
    private let admits: (NIOSSLCertificate?) -> Bool

    /// - Parameter admits: checks the peer's certificate; returns whether the connection may
    ///   continue.
    init(
        _ side: Side, _ handler: NIOSSLHandler, _ admits: @escaping (NIOSSLCertificate?) -> Bool
    ) {
        self.side = side
        self.handler = handler
        self.admits = admits
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted(let protocolName) = event {
            return finish(context, protocolName)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        count("failed")
        context.fireErrorCaught(error)
    }

    /// NIOSSL itself accepts a peer that negotiates no protocol, so this is checked here.
    private func finish(_ context: ChannelHandlerContext, _ protocolName: String?) {
        guard protocolName == TLSRules.applicationProtocol else {
            return refuse(context, "other-protocol", .otherProtocol)
        }
        guard admits(handler.peerCertificate) else {
            return refuse(context, "certificate", .certificate)
        }
        count("done")
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    private func refuse(
        _ context: ChannelHandlerContext, _ outcome: String, _ reason: TLSRefusal
    ) {
        count(outcome)
        context.fireErrorCaught(reason)
        context.close(promise: nil)
    }

    private func count(_ outcome: String) {
        Counter(
            label: "rpc_tls_handshakes_total",
            dimensions: [("side", side.rawValue), ("outcome", outcome)]
        ).increment()
    }
}

/// Why a connection is closed after a TLS handshake that succeeded.
enum TLSRefusal: Error {
    /// The peer did not negotiate `postern/1`.
    case otherProtocol
    /// The peer's certificate is missing, does not match, or has expired.
    case certificate
}
