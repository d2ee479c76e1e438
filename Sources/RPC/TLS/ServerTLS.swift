import NIOCore
import NIOSSL
package import ServiceRuntime

/// One generation of a server's TLS: made from the files as they are, and never changed. A reload
/// makes the next one, for the connections that come then; those that stand keep theirs.
package struct ServerTLS: Sendable {
    private let context: NIOSSLContext
    private let leafHash: [UInt8]
    private let asksForCertificates: Bool
    /// When its certificate ends.
    package let expiresAt: Timestamp

    /// Reads and checks the files.
    /// - Throws: `TLSFileError`, `SecretFileError`.
    package init(_ files: ServerTLSFiles, now: Timestamp) throws {
        let own = try OwnCertificate(files.certificate, now: now)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: own.chain.map { .certificate($0) }, privateKey: .privateKey(own.key))
        TLSRules.apply(to: &configuration, floor: files.floor)
        if let roots = files.roots {
            // NIOSSL's default asks no client for anything. A client has no host name to check:
            // its names are looked up in the list of callers, with each Hello.
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates(try OwnCertificate.certificates(roots))
        }
        context = try TLSRules.context(configuration, keyFile: files.certificate.key)
        leafHash = own.leafHash
        expiresAt = own.expiresAt
        asksForCertificates = files.roots != nil
    }

    /// Whether callers show certificates.
    package var identifiesCallers: Bool { asksForCertificates }

    /// Puts TLS before `connection`, whose handler is to be added next.
    func guardChannel(
        _ channel: any Channel, before connection: ServerConnection, time: any Time
    ) throws {
        connection.peer.channel.leafHash = leafHash
        var configuration = NIOSSLHandler.Configuration()
        configuration.maximumPreservedOutboundBufferCapacity = Self.outboundBytesKept
        let handler = NIOSSLServerHandler(context: context, configuration: configuration)
        let gate = TLSGate(.server, handler) { [asksForCertificates] certificate in
            guard asksForCertificates else { return true }
            // A resumed session is not verified again; its certificate may have ended since.
            guard let certificate, certificate.isValid(at: time.now()) else { return false }
            connection.peer.channel.peerNames = certificate.names
            return true
        }
        try channel.pipeline.syncOperations.addHandlers([handler, gate])
    }

    /// Bytes of a connection's buffer for what it sends that are kept while it is idle.
    private static let outboundBytesKept = 4 * 1024
}
