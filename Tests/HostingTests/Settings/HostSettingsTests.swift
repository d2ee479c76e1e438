import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import Hosting

@Suite("Settings that all programs share")
struct HostSettingsTests {
    /// The outcome of loading the sample program's settings.
    private func load(_ arguments: String...)
        -> SettingsLoader.Outcome<ProgramSettings<SampleProgram>>
    {
        SettingsLoader(
            program: "postern-sample", summary: "a sample.", arguments: arguments, environment: [:]
        ).load(ProgramSettings<SampleProgram>.self)
    }

    private func settings(_ arguments: String...) throws -> ProgramSettings<SampleProgram> {
        try SettingsLoader.settings(arguments)
    }

    @Test("a program runs on its defaults, which listen on loopback only")
    func defaults() throws {
        let settings = try settings()
        let host = settings.host
        #expect(host.listenHost == "127.0.0.1")
        #expect(host.listenPort == 7_500)
        #expect(host.metricsHost == "127.0.0.1")
        #expect(host.metricsPort == 7_510)
        #expect(host.plaintext == .loopback)
        #expect(host.callers == ["gateway", "tool"])
        #expect(host.addressAsserters == ["gateway"])
        #expect(host.portFile == nil)
        #expect(!host.isTiedToInput)
        #expect(settings.own.identity.service == "postern.identity")
        #expect(settings.own.identity.addresses.map(\.description) == ["127.0.0.1:7401"])
    }

    @Test("--help lists every shared setting and the program's own")
    func declared() {
        guard case .exit(let help, exitCode: 0) = load("--help") else {
            Issue.record("no help")
            return
        }
        for name in [
            "listen-host", "listen-port", "metrics-host", "metrics-port", "plaintext",
            "event-loops", "data-folder", "store-url", "store-password-file", "store-ca-file",
            "store-schema", "store-connections", "store-needs-standby", "accept-clock",
            "audit-kept", "keys-folder", "applications-folder", "accept-shared-keys", "callers",
            "client-address-from", "log-level", "port-file", "stop-with-input", "identity-address",
            "running-max", "costly-running-max", "queue-max", "connections-max",
            "connections-per-address-max", "max-connection-age", "max-connection-idle",
        ] {
            #expect(help.contains("--\(name)"), "\(name)")
        }
    }

    @Test(
        "a program without an RPC server has no settings of callers, stores and admission control")
    func withoutRPCServer() {
        let outcome = SettingsLoader(
            program: "postern-listener", summary: "a sample.", arguments: ["--help"],
            environment: [:]
        ).load(ProgramSettings<SampleListener>.self)
        guard case .exit(let help, exitCode: 0) = outcome else {
            Issue.record("no help")
            return
        }
        for name in [
            "listen-port", "connections-max", "keys-folder", "applications-folder", "tls-key-file",
        ] {
            #expect(help.contains("--\(name)"), "\(name)")
        }
        let address = help.split(separator: "--").first { $0.hasPrefix("connections-per-address") }
        // As its description says.
        #expect(address?.contains("default: 70.") == true)
        for name in [
            "callers", "callers-file", "client-address-from", "accept-shared-keys", "data-folder",
            "store-url", "store-schema", "accept-clock", "audit-kept", "running-max", "queue-max",
            "tls-client-ca-file",
        ] {
            #expect(!help.contains("--\(name)"), "\(name)")
        }
    }

    @Test(
        "Protos/README.md, Connection 5: the maximum age is an hour by default, and 0 means none"
    )
    func connectionAge() throws {
        #expect(try settings().host.limits.connectionAgeMax == .seconds(3_600))
        #expect(try settings().host.limits.connectionIdleMax == nil)
        let moved = try settings("--max-connection-age=0", "--max-connection-idle=5m").host.limits
        #expect(moved.connectionAgeMax == nil)
        #expect(moved.connectionIdleMax == .seconds(300))
    }

    @Test("a store is in files, or in a schema of the server that store-url names")
    func store() throws {
        #expect(try settings().host.store.server?.hosts == nil)
        let url = "--store-url=postgres://ada@a.example,b.example/postern"
        let server = try #require(try settings(url).host.store.server)
        #expect(server.hosts == "a.example,b.example")
        #expect(server.schema == "sample")
        #expect(server.certificates == ServerSettings.systemCertificates)
        #expect(server.connections == 10)
        #expect(!server.needsStandby)
        let moved = try #require(
            try settings(
                url, "--store-schema=other", "--store-ca-file=/ca.pem", "--store-connections=4",
                "--store-needs-standby"
            ).host.store.server)
        #expect(moved.schema == "other")
        #expect(moved.certificates == "/ca.pem")
        #expect(moved.connections == 4)
        #expect(moved.needsStandby)
        #expect(ServerSettings.schema(of: "rate-limit") == "rate_limit")
    }

    @Test(
        "a store's URL has no password and no other options, and its schema's name needs no quotes",
        arguments: [
            ("postgres://ada:s3cret@a/b", "sample", "store-password-file"),
            ("postgres://ada@a/b?sslmode=disable", "sample", "remove sslmode"),
            ("a/b", "sample", "postgres://USER@HOST/DATABASE"),
            ("postgres://ada@a/b", "pg_a", "store-schema"),
            ("postgres://ada@a/b", "rate-limit", "store-schema"),
        ])
    func storeURL(url: String, schema: String, said: String) {
        guard
            case .exit(let text, exitCode: 78) = load(
                "--store-url=\(url)", "--store-schema=\(schema)")
        else {
            Issue.record("it was taken")
            return
        }
        #expect(text.contains(said), "\(text)")
        #expect(!text.contains("s3cret"))
    }

    @Test("limits can be set within their bounds")
    func limits() throws {
        let limits = try settings("--running-max=7", "--connections-max=9").host.limits
        #expect(limits.runningMax == 7)
        #expect(limits.connectionsMax == 9)
        #expect(try settings().host.limits.queueMax == ServerLimits().queueMax)
        guard
            case .exit(let text, exitCode: 78) = load(
                "--running-max=0", "--queue-max=-1", "--connections-max=0",
                "--max-connection-age=31d")
        else {
            Issue.record("it was taken")
            return
        }
        #expect(text.contains("4 mistakes"))
    }

    @Test("X-03: applications that may assert client addresses must be among the callers")
    func asserters() throws {
        guard case .exit(let text, exitCode: 78) = load("--callers=tool") else {
            Issue.record("it was taken")
            return
        }
        #expect(text.contains("client-address-from, callers"))
        #expect(text.contains("must be callers"))
        let settings = try settings("--callers=edge", "--client-address-from=edge")
        #expect(settings.host.addressAsserters == ["edge"])
    }

    @Test("a peer may have several addresses and must have one")
    func peers() throws {
        let several = try settings("--identity-address=a.example:1, [::1]:2")
        #expect(several.own.identity.addresses.map(\.description) == ["a.example:1", "[::1]:2"])
        guard case .exit(let text, exitCode: 78) = load("--identity-address=") else {
            Issue.record("it was taken")
            return
        }
        #expect(text.contains("identity-address"))
    }

    @Test("all errors in settings are reported at once")
    func problems() {
        let outcome = load(
            "--listen-port=65536", "--event-loops=0", "--plaintext=yes", "--log-level=loud")
        guard case .exit(let text, exitCode: 78) = outcome else {
            Issue.record("it was taken")
            return
        }
        #expect(text.contains("4 mistakes"))
    }
}
