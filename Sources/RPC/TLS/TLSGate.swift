import CoreMetrics
import NIOCore
import NIOSSL
import NIOTLS

/// Stands behind TLS until the handshake is done: lets nobody past who speaks another protocol, and
/// hands on who the peer is. Then it leaves.
final class TLSGate: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    enum Side: String {
        case server
        case client
    }

    private let side: Side
    private let handler: NIOSSLHandler
    private let admits: (NIOSSLCertificate?) -> Bool

    /// - Parameter admits: takes the peer's certificate, and says whether it may go on.
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

    /// NIOSSL itself goes on with a peer that names no protocol.
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

/// Why a connection ends after a handshake that TLS itself has no complaint about.
enum TLSRefusal: Error {
    /// The peer does not speak `postern/1`, or did not say so.
    case otherProtocol
    /// The peer's certificate is missing or has ended.
    case certificate
}
