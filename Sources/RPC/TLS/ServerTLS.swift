package import NIOCore
import NIOSSL
package import ServiceRuntime

/// The TLS context of a server, made once from its files. A reload makes a new one for new
/// connections; existing connections keep theirs.
package struct ServerTLS: Sendable {
    private let context: NIOSSLContext
    private let leafHash: [UInt8]
    private let requestsCertificates: Bool
    /// When the server's certificate expires.
    package let expiresAt: Timestamp

    /// The protocol that the server speaks over TLS. The names are offered in the handshake (ALPN).
    package enum Speaks: Sendable {
        /// Our own wire.
        case rpc
        /// HTTP/2 and HTTP/1.1.
        case http

        var protocols: [String] {
            switch self {
            case .rpc: [TLSRules.applicationProtocol]
            case .http: ["h2", "http/1.1"]
            }
        }
    }

    /// Reads and checks the files.
    /// - Throws: `TLSFileError`, `SecretFileError`.
    package init(
        _ files: ServerTLSFiles, speaking speaks: Speaks = .rpc, now: Timestamp
    ) throws {
        let own = try OwnCertificate(files.certificate, now: now)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: own.chain.map { .certificate($0) }, privateKey: .privateKey(own.key))
        TLSRules.apply(to: &configuration, floor: files.floor)
        configuration.applicationProtocols = speaks.protocols
        if let roots = files.roots {
            // NIOSSL requests no client certificate by default. A client has no host name to
            // verify: its names are looked up in the callers list at each Hello.
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates(try OwnCertificate.certificates(roots))
        }
        context = try TLSRules.context(configuration, keyFile: files.certificate.key)
        leafHash = own.leafHash
        expiresAt = own.expiresAt
        requestsCertificates = files.roots != nil
    }

    /// Whether callers must present certificates.
    package var identifiesCallers: Bool { requestsCertificates }

    /// Adds TLS in front of `connection`, whose handler is added next.
    /// - Throws: a pipeline error when the TLS handler cannot be added.
    func guardChannel(
        _ channel: any Channel, before connection: ServerConnection, time: any Time
    ) throws {
        connection.peer.channel.leafHash = leafHash
        let handler = handler()
        let check = TLSPeerCheck(.server, handler) { [requestsCertificates] certificate in
            guard requestsCertificates else { return true }
            // TLS does not verify a resumed session again, and its certificate may have expired
            // since.
            guard let certificate, certificate.isValid(at: time.now()) else { return false }
            connection.peer.channel.peerNames = certificate.names
            return true
        }
        try channel.pipeline.syncOperations.addHandlers([handler, check])
    }

    /// Adds TLS to `channel` as it is, with no check of the peer. The next handler must look at the
    /// protocol in `TLSUserEvent.handshakeCompleted`.
    /// - Throws: a pipeline error when the TLS handler cannot be added.
    package func addHandler(to channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(handler())
    }

    private func handler() -> NIOSSLServerHandler {
        var configuration = NIOSSLHandler.Configuration()
        configuration.maximumPreservedOutboundBufferCapacity = Self.outboundBytesRetained
        return NIOSSLServerHandler(context: context, configuration: configuration)
    }

    /// Bytes of a connection's outbound buffer that are retained while it is idle.
    private static let outboundBytesRetained = 4 * 1024
}
