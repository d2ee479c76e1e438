import NIOCore
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

    /// Reads and checks the files.
    /// - Throws: `TLSFileError`, `SecretFileError`.
    package init(_ files: ServerTLSFiles, now: Timestamp) throws {
        let own = try OwnCertificate(files.certificate, now: now)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: own.chain.map { .certificate($0) }, privateKey: .privateKey(own.key))
        TLSRules.apply(to: &configuration, floor: files.floor)
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
        var configuration = NIOSSLHandler.Configuration()
        configuration.maximumPreservedOutboundBufferCapacity = Self.outboundBytesRetained
        let handler = NIOSSLServerHandler(context: context, configuration: configuration)
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

    /// Bytes of a connection's outbound buffer that are retained while it is idle.
    private static let outboundBytesRetained = 4 * 1024
}
