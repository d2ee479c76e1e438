import Hosting
import ServiceRuntime

/// A program with one setting of its own.
enum SampleProgram: Program {
    struct OwnSettings: Settings {
        let identity: PeerSettings

        init(reading settings: inout SettingsReader) {
            identity = PeerSettings(
                reading: &settings, "identity", service: "postern.identity", port: 7_401)
        }
    }

    static let description = ProgramDescription(
        program: "postern-sample", service: "postern.sample", application: "sample",
        summary: "a sample.", port: 7_500, callers: ["gateway", "tool"],
        addressAsserters: ["gateway"])

    static func assemble(_ host: ServiceHost, _ settings: OwnSettings) async throws -> Assembly {
        Assembly(services: [])
    }
}

/// A program with a listener of another protocol.
enum SampleListener: Program {
    struct OwnSettings: Settings {
        init(reading settings: inout SettingsReader) {}
    }

    static let description = ProgramDescription(
        program: "postern-listener", service: "postern.listener", application: "listener",
        summary: "a sample.", port: 7_600, callers: [], hasRPCServer: false,
        connectionsPerAddressMax: 70)

    static func assemble(_ host: ServiceHost, _ settings: OwnSettings) async throws -> Assembly {
        Assembly(
            listener: { _, _ in Assembly.Running(port: 7_600) {} }, watched: [],
            awaitedPeers: [])
    }
}
