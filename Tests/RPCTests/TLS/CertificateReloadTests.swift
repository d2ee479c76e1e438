import Cryptography
import NIOCore
import NIOPosix
import NIOSSL
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("Certificates that change under load", .timeLimit(.minutes(1)))
struct CertificateReloadTests {
    @Test("X-03: new connections get the new certificate, and no call is lost")
    func underLoad() async throws {
        try await TLSLoopback.run { loopback in
            let client = try loopback.client()
            let load = Load(client)
            let files = CertificateFiles(
                chain: loopback.folder.file("server.pem"),
                key: loopback.folder.file("server.key.pem"))
            let (_, watched) = try CredentialWatch.Credential.following(
                .serverCertificate, paths: [files.chain, files.key],
                expiresAt: { $0.expiresAt }, use: { loopback.server.use($0) },
                read: {
                    try ServerTLS(
                        ServerTLSFiles(certificate: files, roots: nil),
                        now: TLSLoopback.time.now())
                })
            let watch = CredentialWatch(
                [watched], every: .seconds(1), time: TLSLoopback.time,
                logger: loopback.log.logger())
            var shown = [try await loopback.shownLeaf()]
            for round in 1...5 {
                let next = try loopback.authority.issue(
                    [.dns("localhost"), .address(127, 0, 0, 1)])
                _ = try next.files(in: loopback.folder, "server")
                watch.look()
                shown.append(try await loopback.shownLeaf())
                #expect(shown[round] == SHA256.hash(next.der))
                // A proof over the new certificate is accepted.
                try await loopback.expect(nil)
                try await load.reached(round * 50)
            }
            #expect(Set(shown).count == 6)
            let failures = await load.stop()
            #expect(failures == [])
            client.close()
        }
    }

    @Test("X-03: a mismatched, unreadable, expired or not yet valid certificate is rejected")
    func badFiles() async throws {
        try await TLSLoopback.run { loopback in
            let files = CertificateFiles(
                chain: loopback.folder.file("server.pem"),
                key: loopback.folder.file("server.key.pem"))
            let now = TLSLoopback.time.now()
            func read() throws {
                _ = try ServerTLS(
                    ServerTLSFiles(certificate: files, roots: nil), now: now)
            }
            try read()
            let other = try loopback.authority.issue([.dns("localhost")])
            try loopback.folder.write(other.pem, to: "server.pem")
            #expect(throws: TLSFileError.keyMismatch(files.key)) { try read() }
            try loopback.folder.writeKey(other.keyPEM, to: "server.key.pem")
            try read()
            for text in ["", "no PEM", String(other.pem.dropLast(200))] {
                try loopback.folder.write(text, to: "server.pem")
                #expect(throws: TLSFileError.unreadable(files.chain)) { try read() }
            }
            let cases: [(Duration, Duration, TLSFileError)] = [
                (.seconds(-9), .seconds(-1), .expired(files.chain)),
                (.seconds(60), .seconds(90), .notYetValid(files.chain)),
            ]
            for (from, until, error) in cases {
                let wrong = try loopback.authority.issue(
                    [.dns("localhost")], from: from, until: until)
                _ = try wrong.files(in: loopback.folder, "server")
                #expect(throws: error) { try read() }
            }
        }
    }

    @Test("SECURITY.md, Secrets: a private key that other users may read is rejected")
    func exposedKey() async throws {
        let folder = try TemporaryFolder()
        let authority = try TestAuthority(now: TLSLoopback.time.now())
        let certificate = try authority.issue([.dns("localhost")])
        let chain = try folder.write(certificate.pem, to: "a.pem")
        let key = try folder.write(certificate.keyPEM, to: "a.key.pem")
        #expect(throws: SecretFileError.self) {
            try ServerTLS(
                ServerTLSFiles(
                    certificate: CertificateFiles(chain: chain, key: key), roots: nil),
                now: TLSLoopback.time.now())
        }
    }
}

extension TLSLoopback {
    /// SHA-256 of the certificate that the server shows to new connections.
    func shownLeaf() async throws -> [UInt8] {
        let context = try configuration()
        let shown = group.next().makePromise(of: [UInt8].self)
        let channel = try await ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(
                        context: context, serverHostname: "localhost")
                    try channel.pipeline.syncOperations.addHandlers([
                        handler, LeafReader(handler, shown),
                    ])
                }
            }
            .connect(host: "127.0.0.1", port: server.port).get()
        let leaf = try await shown.futureResult.get()
        try? await channel.close().get()  // the server may have closed it first
        return leaf
    }
}

/// Waits for the server's Hello, after the handshake, and reports the server's certificate.
private final class LeafReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let handler: NIOSSLClientHandler
    private let shown: EventLoopPromise<[UInt8]>

    init(_ handler: NIOSSLClientHandler, _ shown: EventLoopPromise<[UInt8]>) {
        self.handler = handler
        self.shown = shown
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = try? handler.peerCertificate?.toDERBytes()
        shown.succeed(SHA256.hash(bytes ?? []))
    }

    func channelInactive(context: ChannelHandlerContext) {
        shown.fail(ChannelError.eof)
    }
}
