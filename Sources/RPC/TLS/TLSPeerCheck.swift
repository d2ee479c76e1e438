import CoreMetrics
import NIOCore
import NIOSSL
import NIOTLS
import ServiceRuntime

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
        _ context: ChannelHandlerContext, _ outcome: String, _ reason: Refusal
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

    /// Why a connection is closed after a TLS handshake that succeeded.
    enum Refusal: Error {
        /// The peer did not negotiate `postern/1`.
        case otherProtocol
        /// The peer's certificate is missing, does not match, or has expired.
        case certificate
    }
}

extension NIOSSLCertificate {
    /// The names that the certificate is valid for: the DNS names and URIs (`spiffe://…`) of its
    /// subject alternative names. The common name is not used: it is free text that issuers need
    /// not check, and RFC 9525 (6.3) requires verifiers to ignore it. Wildcard names are left out.
    ///
    /// A URI counts only if it has a scheme. Otherwise a URI could pass for a DNS name, which an
    /// issuer may validate by another rule.
    var names: [String] { texts.filter { !$0.isHostPattern }.map(\.text) }

    /// Whether the certificate is valid for `host` (RFC 9525): one of its DNS names is equal, or
    /// has a wildcard for the whole first label. NIOSSL alone would also accept a common name, or a
    /// certificate for the dialled IP address instead of the requested name.
    func isFor(host: String) -> Bool {
        let host = host.lowercased()
        return texts.contains { name in
            guard name.isDNS else { return false }
            let text = name.text.lowercased()
            guard name.isHostPattern else { return text == host }
            guard let dot = host.firstIndex(of: "."), dot != host.startIndex else { return false }
            return text.hasPrefix("*.") && text.dropFirst(2) == host[host.index(after: dot)...]
                && text.dropFirst(2).contains(".")
        }
    }

    private struct Name {
        let text: String
        let isDNS: Bool
        var isHostPattern: Bool { isDNS && text.contains("*") }
    }

    private var texts: [Name] {
        _subjectAlternativeNames().compactMap { name in
            let bytes = Array(name.contents)
            // Printable ASCII only: two parsers could read a name with a NUL or a space as two
            // different names.
            guard (1...Self.nameBytesMax).contains(bytes.count),
                bytes.allSatisfy({ (0x21...0x7E).contains($0) })
            else { return nil }
            let text = String(decoding: bytes, as: UTF8.self)
            switch name.nameType {
            case .dnsName: return text.contains("://") ? nil : Name(text: text, isDNS: true)
            case .uri: return text.contains("://") ? Name(text: text, isDNS: false) : nil
            default: return nil
            }
        }
    }

    /// Whether `now` is within the certificate's validity period.
    func isValid(at now: Timestamp) -> Bool {
        let seconds = now.seconds
        return Int64(notValidBefore) <= seconds && seconds <= Int64(notValidAfter)
    }

    /// The longest accepted name, in bytes: SPIFFE's limit.
    private static var nameBytesMax: Int { 2_048 }
}
