import Cryptography
import Messages
import NIOCore
import NIOPosix
import NIOSSL
import RPC
import ServiceRuntime
import TestSupport
import Testing

/// A TLS server and what its callers need, in one process over real sockets.
struct TLSLoopback: Sendable {
    let folder: TemporaryFolder
    let authority: TestAuthority
    let group: MultiThreadedEventLoopGroup
    let server: RPCServer
    let echo: EchoService
    let log: CapturedLog

    static let time = SystemTime()

    /// Settings of a test's server.
    struct Setup: Sendable {
        /// Whether callers must show certificates.
        var requestsCertificates = false
        var floor = TLSFloor.v12
        /// Who may call; nil for the one application of `TestKey`.
        var callers: CallersList?
        /// Added to the time at which the server's files are checked.
        var clock = Duration.zero
        var serverNames: [TestName] = [.dns("localhost"), .address(127, 0, 0, 1)]
        var serverUntil = Duration.seconds(86_400)
        /// Keys, by file name.
        var keys: [String: String] = [:]
        var streamCredit = FrameLimits.streamCredit
        /// The audiences of application tokens.
        var tokenAudiences: Set<String> = []
    }

    static func run(
        _ setup: Setup = Setup(), body: @Sendable (TLSLoopback) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        do {
            let loopback = try await start(setup, group)
            try await TestThreads.run { try await body(loopback) }
            loopback.echo.gate.open()
            await loopback.server.drain()
        } catch {
            try await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }

    private static func start(
        _ setup: Setup, _ group: MultiThreadedEventLoopGroup
    ) async throws -> TLSLoopback {
        let folder = try TemporaryFolder()
        let authority = try TestAuthority(now: time.now())
        try folder.write(authority.pem, to: "roots.pem")
        let certificate = try authority.issue(
            setup.serverNames, from: .seconds(-7_200), until: setup.serverUntil)
        let files = try certificate.files(in: folder, "server")
        for (name, text) in setup.keys { try folder.writeKey(text, to: name) }
        let (echo, log) = (EchoService(), CapturedLog())
        let server = try await RPCServer.start(
            ServerSettings(
                service: "test.echo", host: "127.0.0.1", port: 0,
                streamCredit: setup.streamCredit, tokenAudiences: setup.tokenAudiences),
            services: [echo.methods],
            applications: setup.callers.map {
                try Applications(
                    folder: folder.path, callers: $0, needsKeys: false,
                    sharedKeys: TestKey.sharedKeys)
            }
                ?? Applications(
                    name: TestKey.application, keyID: TestKey.keyID, key: TestKey.right,
                    mayAssertClientAddress: true),
            tls: ServerTLS(
                ServerTLSFiles(
                    certificate: files,
                    roots: setup.requestsCertificates ? folder.file("roots.pem") : nil,
                    floor: setup.floor),
                now: time.now() + setup.clock),
            group: group, time: time, randomness: SecureRandomness(), logger: log.logger())
        return TLSLoopback(
            folder: folder, authority: authority, group: group, server: server, echo: echo,
            log: log)
    }

    // MARK: Clients

    /// Settings of a test's client.
    struct Caller {
        var application = TestKey.application
        /// Its key; nil to rely on its certificate.
        var key: (any ApplicationProver)? = TestKey.right
        var keyID = TestKey.keyID
        /// Its certificate, if it has one.
        var certificate: TestCertificate?
        /// The roots that it trusts; nil for the server's own authority.
        var roots: TestAuthority?
        /// The name that the server's certificate must have; nil to check the address.
        var serverName: String? = "localhost"
        var floor = TLSFloor.v12
        var clock = Duration.zero
        /// How long it waits for a connection; short where none is expected.
        var connectTimeout = Duration.seconds(2)
        /// The port that it calls; nil for the server's.
        var port: Int?
        var streamCredit = FrameLimits.streamCredit
    }

    func client(
        _ caller: Caller = Caller(), change: (inout ClientSettings.Security) -> Void = { _ in }
    ) throws -> RPCClient {
        let name = "client-\(caller.application)"
        try folder.write((caller.roots ?? authority).pem, to: "\(name)-roots.pem")
        let tls = try ClientTLS(
            ClientTLSFiles(
                certificate: caller.certificate?.files(in: folder, name),
                roots: folder.file("\(name)-roots.pem"), floor: caller.floor),
            now: Self.time.now() + caller.clock)
        var settings = ClientSettings(
            service: "test.echo", host: "127.0.0.1", port: caller.port ?? server.port,
            application: caller.application, keyID: caller.keyID, secret: caller.key,
            connectTimeout: caller.connectTimeout, streamCredit: caller.streamCredit)
        settings.security.tls = Reloadable(tls)
        settings.security.serverName = caller.serverName
        change(&settings.security)
        return RPCClient(
            settings, group: group, time: Self.time, randomness: SecureRandomness())
    }

    /// The error code of one call by `caller`, or nil if it was answered.
    func outcome(
        _ caller: Caller = Caller(), _ method: MethodDescription = EchoService.onLoop
    ) async throws -> ErrorCode? {
        let client = try client(caller)
        defer { client.close() }
        return await Self.outcome(of: client, method)
    }

    static func outcome(
        of client: RPCClient, _ method: MethodDescription = EchoService.onLoop,
        timeout: Duration = .seconds(10)
    ) async -> ErrorCode? {
        do {
            let answer: EchoService.Response = try await client.call(
                method, EchoService.Request(accessToken: "hello"),
                client.context(timeout: timeout))
            return answer.valid ? nil : .internalError
        } catch {
            return (error as? ServiceError)?.code ?? .internalError
        }
    }

    /// Expects this outcome of one call by `caller`; nil for an answer.
    func expect(
        _ expected: ErrorCode?, _ caller: Caller = Caller(),
        _ method: MethodDescription = EchoService.onLoop,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        var caller = caller
        if expected == .unavailable { caller.connectTimeout = .milliseconds(200) }
        let outcome = try await outcome(caller, method)
        #expect(
            outcome == expected, "\(caller.application) \(method.name)",
            sourceLocation: sourceLocation)
    }

    /// Expects this outcome of one call by `client`; nil for an answer.
    static func expect(
        _ expected: ErrorCode?, of client: RPCClient,
        _ method: MethodDescription = EchoService.onLoop,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let outcome = await outcome(of: client, method)
        #expect(outcome == expected, sourceLocation: sourceLocation)
    }

    // MARK: Plain sockets

    /// A client's TLS context made directly with NIOSSL, for raw peers.
    func configuration(
        _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(
            try NIOSSLCertificate.fromPEMBytes(Array(authority.pem.utf8)))
        configuration.applicationProtocols = ["postern/1"]
        change(&configuration)
        return try NIOSSLContext(configuration: configuration)
    }

    /// A relay that accepts plain bytes and speaks TLS to the server.
    func relay(_ change: (inout TLSConfiguration) -> Void = { _ in }) async throws -> Relay {
        try await Relay(to: server.port, group: group, client: try configuration(change))
    }
}

extension TestCertificate {
    func files(in folder: TemporaryFolder, _ name: String) throws -> CertificateFiles {
        let paths = try write(to: folder, as: name)
        return CertificateFiles(chain: paths.chain, key: paths.key)
    }
}

extension TLSLoopback {
    /// SHA-256 of the certificate with which the server started.
    func leafHash() throws -> [UInt8] {
        let leaf = try NIOSSLCertificate.fromPEMFile(folder.file("server.pem")).first
        return SHA256.hash(try leaf?.toDERBytes() ?? [])
    }
}
