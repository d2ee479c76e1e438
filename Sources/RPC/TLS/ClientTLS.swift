import Cryptography
import Messages
import NIOCore
import NIOSSL
package import ServiceRuntime

/// The TLS context of a client, made once from its files. A reload makes a new one; see
/// `ServerTLS`.
package struct ClientTLS: Sendable {
    private let context: NIOSSLContext
    /// When the client's own certificate expires; nil if it has none.
    package let expiresAt: Timestamp?

    /// Reads and checks the files.
    /// - Throws: `TLSFileError`, `SecretFileError`.
    package init(_ files: ClientTLSFiles, now: Timestamp) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        TLSRules.apply(to: &configuration, floor: files.floor)
        configuration.certificateVerification = .fullVerification
        configuration.trustRoots = .certificates(try OwnCertificate.certificates(files.roots))
        let own = try files.certificate.map { try OwnCertificate($0, now: now) }
        if let own {
            configuration.certificateChain = own.chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(own.key)
        }
        context = try TLSRules.context(configuration, keyFile: files.certificate?.key)
        expiresAt = own?.expiresAt
    }

    /// Adds TLS in front of the handler that is added next.
    /// - Parameter serverName: the name that the server's certificate must contain. An IP address
    ///   is compared with the certificate's IP addresses.
    /// - Throws: `NIOSSLError` or a pipeline error when the TLS handler cannot be made or added.
    func guardChannel(_ channel: any Channel, serverName: String) throws {
        var configuration = NIOSSLHandler.Configuration()
        configuration.maximumPreservedOutboundBufferCapacity = Self.outboundBytesRetained
        let name = Self.isAddress(serverName) ? nil : serverName
        let handler = try NIOSSLClientHandler(
            context: context, serverHostname: name, configuration: configuration)
        let check = TLSPeerCheck(.client, handler) { certificate in
            name.map { certificate?.isFor(host: $0) ?? false } ?? (certificate != nil)
        }
        try channel.pipeline.syncOperations.addHandlers([handler, check])
    }

    /// SHA-256 of the certificate that the server presented on this connection.
    /// - Throws: `NIOSSLError.noCertificateToValidate` when the server presented none, or the error
    ///   of a pipeline without TLS.
    static func leafHash(of pipeline: ChannelPipeline) throws -> [UInt8] {
        let handler = try pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
        guard let leaf = handler.peerCertificate else { throw NIOSSLError.noCertificateToValidate }
        return SHA256.hash(try leaf.toDERBytes())
    }

    private static func isAddress(_ host: String) -> Bool {
        // `try?`: text that is not an IP address is a host name.
        (try? SocketAddress(ipAddress: host, port: 0)) != nil
    }

    /// Bytes of a connection's outbound buffer that are retained while it is idle.
    private static let outboundBytesRetained = 64 * 1024
}

extension ClientSettings {
    /// Settings of a client whose key and certificate are reloaded when their files change.
    package init(
        service: String, addresses: [ServiceAddress], application: String,
        security: ClientSettings.Security, connectTimeout: Duration = .seconds(2),
        streamCredit: UInt32 = FrameLimits.streamCredit
    ) {
        self.init(
            service: service, addresses: addresses, application: application, keyID: "",
            secret: nil, connectTimeout: connectTimeout, streamCredit: streamCredit)
        self.security = security
    }
}

extension ClientSettings {
    /// Adds TLS in front of the handler of a connection to `host`, if these settings use TLS.
    /// - Throws: `NIOSSLError` or a pipeline error when the TLS handler cannot be made or added.
    func guardChannel(_ channel: any Channel, to host: String) throws {
        try security.tls?.value.guardChannel(channel, serverName: security.serverName ?? host)
    }

    /// Writes this client's identity and its proof into `hello`.
    /// - Throws: As `ClientTLS.leafHash(of:)`, when the connection uses TLS.
    func prove(
        _ hello: inout WireV1.Hello, challenge: [UInt8], over channel: (any Channel)?
    ) throws {
        var leafHash = ApplicationProof.noCertificate
        if security.tls != nil, let channel {
            leafHash = try ClientTLS.leafHash(of: channel.pipeline)
        }
        hello.application = application
        let own = security.key.map { live in live.value.map { ($0.keyID, $0.key) } }
        guard let (keyID, key) = own ?? secret.map({ (keyID, $0) }) else { return }
        hello.keyId = keyID
        hello.proof = ApplicationProof.make(
            challenge: challenge, hello, key: key, leafHash: leafHash)
    }
}
