import ArgumentParser
import Contracts
import Messages

/// `postern keys`: the keys that sign access tokens (S-01), and those that refresh tokens are made
/// under (G-10).
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Lists, rotates or revokes the keys of access and refresh tokens.",
        discussion: """
            Keys rotate by themselves (settings signing-key-life and refresh-key-life of \
            postern-session). Neither rotating nor revoking ends a session.
            """,
        subcommands: [List.self, Rotate.self, Revoke.self, RotateRefresh.self],
        defaultSubcommand: List.self)

    /// `postern keys list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the keys, those that sign first, the newest first of each.")

        @OptionGroup var session: SessionKeyCaller

        func run() async throws {
            try await session.show { keys in
                try await keys.signing.listKeys(.init(), keys.context()).keys.map(\.line)
                    + keys.refresh.listRefreshKeys(.init(), keys.context()).keys.map(\.line)
            }
        }
    }

    /// `postern keys rotate`.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Has another key sign from now on; tokens of the old one stay good.")

        @OptionGroup var session: SessionKeyCaller

        func run() async throws {
            try await session.show { keys in
                try await keys.signing.rotateKeys(.init(), keys.context()).keys.map(\.line)
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

        @OptionGroup var session: SessionKeyCaller

        func run() async throws {
            try await session.show { keys in
                let request = SessionV1.RevokeKeyRequest(keyId: key)
                return try await keys.signing.revokeKey(request, keys.context()).keys.map(\.line)
            }
        }
    }

    /// `postern keys rotate-refresh`.
    struct RotateRefresh: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Has refresh tokens made under another key from now on.",
            discussion: """
                Those that are out stay good for as long as their sessions can live; nobody is \
                signed out.
                """)

        @OptionGroup var session: SessionKeyCaller

        func run() async throws {
            try await session.show { keys in
                try await keys.refresh.rotateRefreshKey(.init(), keys.context()).keys.map(\.line)
            }
        }
    }
}
