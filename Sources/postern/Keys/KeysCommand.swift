import ArgumentParser
import Contracts
import Cryptography
import Messages
import NIOPosix
import RPC
import ServiceRuntime

/// `postern keys`: the keys that sign access tokens (S-01).
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Lists, rotates or revokes the keys that sign access tokens.",
        discussion: """
            Keys rotate by themselves (setting signing-key-life of postern-session). Neither \
            rotating nor revoking ends a session.
            """,
        subcommands: [List.self, Rotate.self, Revoke.self], defaultSubcommand: List.self)

    /// `postern keys list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the keys, the newest first.")

        @Option(help: "The file that `postern up` writes.")
        var endpoints = Endpoints.defaultPath

        func run() async throws {
            try await SigningKeyCaller(endpoints).show { keys, context in
                try await keys.listKeys(SessionV1.ListKeysRequest(), context).keys
            }
        }
    }

    /// `postern keys rotate`.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Has another key sign from now on; tokens of the old one stay good.")

        @Option(help: "The file that `postern up` writes.")
        var endpoints = Endpoints.defaultPath

        func run() async throws {
            try await SigningKeyCaller(endpoints).show { keys, context in
                try await keys.rotateKeys(SessionV1.RotateKeysRequest(), context).keys
            }
        }
    }

    /// `postern keys revoke KID`.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Refuses all that a key has signed, at once; for a key that was stolen.",
            discussion: """
                Apps exchange their refresh tokens for access tokens of another key; nobody is \
                signed out.
                """)

        @Argument(help: "The key's name, as the list shows it.")
        var key: String

        @Option(help: "The file that `postern up` writes.")
        var endpoints = Endpoints.defaultPath

        func run() async throws {
            let request = SessionV1.RevokeKeyRequest(keyId: key)
            try await SigningKeyCaller(endpoints).show { keys, context in
                try await keys.revokeKey(request, context).keys
            }
        }
    }
}

/// Asks the session service about its keys, and shows what it answers.
private struct SigningKeyCaller {
    private static let patience = Duration.seconds(10)

    private let client: RPCClient

    init(_ path: String) throws {
        client = RPCClient(
            try Endpoints(path).client(of: "session"), group: MultiThreadedEventLoopGroup.singleton,
            time: SystemTime(), randomness: SecureRandomness())
    }

    func show(
        _ ask: (SigningKeysClient, CallContext) async throws -> [SessionV1.SigningKey]
    ) async throws {
        do {
            let keys = try await ask(
                SigningKeysClient(client), client.context(timeout: Self.patience))
            for key in keys { Screen.line(key.line) }
        } catch let error as ServiceError {
            Screen.line(ErrorText.json(error))
            throw ExitCode(1)
        }
    }
}

extension SessionV1.SigningKey {
    /// `…kid…  active     since 2026-01-31T09:05:00.250Z`
    fileprivate var line: String {
        let (word, since): (String, Int64) =
            switch state {
            case .announced: ("announced", madeAtMs)
            case .active: ("active", activeAtMs)
            case .passive: ("passive", passiveAtMs)
            case .retired: (revoked ? "revoked" : "retired", retiredAtMs)
            case .unspecified, .unrecognized: ("unknown", madeAtMs)
            }
        let padding = String(repeating: " ", count: max(1, 11 - word.count))
        return "\(keyId)  \(word)\(padding)since \(Timestamp(milliseconds: since).text)"
    }
}
