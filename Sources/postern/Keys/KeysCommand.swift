import ArgumentParser
import Contracts
import Messages
import RPC
import ServiceRuntime

/// `postern keys`: the keys that sign access tokens (S-01), and those of refresh tokens (G-10).
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Lists, rotates or revokes the keys of access and refresh tokens.",
        discussion: """
            Keys are rotated automatically (settings signing-key-life and refresh-key-life of \
            postern-session). Neither rotation nor revocation ends a session.
            """,
        subcommands: [List.self, Rotate.self, Revoke.self, RotateRefresh.self],
        defaultSubcommand: List.self)

    /// `postern keys list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the keys: signing keys, then refresh keys, each the newest first.")

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            try await services.show("session") { session in
                try await session.signingKeys.listKeys(.init(), session.context).keys.map(\.line)
                    + session.refreshKeys.listRefreshKeys(.init(), session.context).keys.map(\.line)
            }
        }
    }

    /// `postern keys rotate`.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Signs with a new key from now on; tokens of the old one stay valid.")

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            try await services.show("session") { session in
                try await session.signingKeys.rotateKeys(.init(), session.context).keys.map(\.line)
            }
        }
    }

    /// `postern keys revoke KID`.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Rejects all tokens signed by a key, at once; for a stolen key.",
            discussion: """
                Apps exchange their refresh tokens for access tokens of another key; no user is \
                signed out.
                """)

        @Argument(help: "The key's id, as listed.")
        var key: String

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            try await services.show("session") { session in
                try await session.signingKeys.revokeKey(.init(keyId: key), session.context).keys
                    .map(\.line)
            }
        }
    }

    /// `postern keys rotate-refresh`.
    struct RotateRefresh: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Issues refresh tokens under a new key from now on.",
            discussion: """
                Existing tokens stay valid as long as their sessions can live; no user is signed \
                out.
                """)

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            try await services.show("session") { session in
                try await session.refreshKeys.rotateRefreshKey(.init(), session.context).keys
                    .map(\.line)
            }
        }
    }
}

extension Caller {
    fileprivate var signingKeys: SigningKeysClient { SigningKeysClient(client) }
    fileprivate var refreshKeys: RefreshKeysClient { RefreshKeysClient(client) }
}

extension SessionV1.SigningKey {
    /// `…kid…  active     since 2026-01-31T09:05:00.250Z`
    var line: String {
        let (word, since): (String, Int64) =
            switch state {
            case .announced: ("announced", madeAtMs)
            case .active: ("active", activeAtMs)
            case .passive: ("passive", passiveAtMs)
            case .retired: (revoked ? "revoked" : "retired", retiredAtMs)
            case .unspecified, .unrecognized: ("unknown", madeAtMs)
            }
        return keyLine(keyId, word, since: since)
    }
}

extension SessionV1.RefreshKey {
    /// `refresh-3  active     since 2026-01-31T09:05:00.250Z`, or `refresh-2  passive    since …,
    /// its tokens are taken until …`
    var line: String {
        let name = "refresh-\(keyId)"
        guard supersededAtMs != 0 else { return keyLine(name, "active", since: madeAtMs) }
        return keyLine(name, "passive", since: supersededAtMs)
            + ", its tokens are taken until \(Timestamp(milliseconds: acceptedUntilMs).text)"
    }
}

private func keyLine(_ name: String, _ state: String, since moment: Int64) -> String {
    "\(name)  \(state.padded(to: 11))since \(Timestamp(milliseconds: moment).text)"
}
