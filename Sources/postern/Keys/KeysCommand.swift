import ArgumentParser
import Contracts
import JSON
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
        @OptionGroup var output: OutputOption

        func run() async throws {
            let rows = try await services.call("session") { session in
                try await session.signingKeys.listKeys(.init(), session.context).keys.map(\.row)
                    + session.refreshKeys.listRefreshKeys(.init(), session.context).keys.map(\.row)
            }
            try output.show(rows)
        }
    }

    /// `postern keys rotate`.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Signs with a new key from now on; tokens of the old one stay valid.")

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            try await services.show("session") { session in
                try await session.signingKeys.rotateKeys(.init(), session.context).keys.map(
                    \.row.line)
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

        @Argument(help: "The key's id, as listed; one that begins with - comes last, after --.")
        var key: String

        @OptionGroup var services: EndpointsOption
        @OptionGroup var confirmation: ConfirmationOption

        func run() async throws {
            try confirmation.confirm("all tokens that \(key) signed are rejected from now on")
            let hints = [
                "key_id": "no signing key has this id; `postern keys list` shows ids. Refresh keys "
                    + "are replaced by `postern keys rotate-refresh`"
            ]
            try await services.show("session", hints: hints) { session in
                try await session.signingKeys.revokeKey(.init(keyId: key), session.context).keys
                    .map(\.row.line)
            }
        }
    }

    /// `postern keys rotate-refresh`.
    struct RotateRefresh: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Issues refresh tokens under a new key from a minute later on.",
            discussion: """
                Existing tokens stay valid as long as their sessions can live; no user is signed \
                out.
                """)

        @OptionGroup var services: EndpointsOption

        func run() async throws {
            try await services.show("session") { session in
                try await session.refreshKeys.rotateRefreshKey(.init(), session.context).keys
                    .map(\.row.line)
            }
        }
    }
}

extension Caller {
    fileprivate var signingKeys: SigningKeysClient { SigningKeysClient(client) }
    fileprivate var refreshKeys: RefreshKeysClient { RefreshKeysClient(client) }
}

extension SessionV1.SigningKey {
    /// As a line: `…kid…  active     since 2026-01-31T09:05:00.250Z`
    var row: Row {
        let (word, since): (String, Int64) =
            switch state {
            case .announced: ("announced", madeAtMs)
            case .active: ("active", activeAtMs)
            case .passive: ("passive", passiveAtMs)
            case .retired: (revoked ? "revoked" : "retired", retiredAtMs)
            case .unspecified, .unrecognized: ("unknown", madeAtMs)
            }
        return keyRow(keyId, "access", word, since: since, acceptedUntil: 0)
    }
}

extension SessionV1.RefreshKey {
    /// As a line: `refresh-3  active     since 2026-01-31T09:05:00.250Z`, or
    /// `refresh-2  passive    since …, its tokens are taken until …`
    var row: Row {
        let isActive = supersededAtMs == 0
        return keyRow(
            "refresh-\(keyId)", "refresh", isActive ? "active" : "passive",
            since: isActive ? madeAtMs : supersededAtMs,
            acceptedUntil: isActive ? 0 : acceptedUntilMs)
    }
}

/// - Parameter acceptedUntil: the end of the key's tokens, in milliseconds since 1970; 0 if it is
///   not known yet.
private func keyRow(
    _ id: String, _ tokens: String, _ state: String, since: Int64, acceptedUntil: Int64
) -> Row {
    let moment = Timestamp(milliseconds: since).text
    let end = acceptedUntil == 0 ? "" : Timestamp(milliseconds: acceptedUntil).text
    return Row([
        .init("key_id", id, heading: "key"),
        .init("tokens", .string(tokens), text: tokens, phrase: ""),
        .init(
            "state", .string(state), text: state,
            phrase: "\(state.padded(to: 11))since \(moment)"
                + (end.isEmpty ? "" : ", its tokens are taken until \(end)")),
        .init("since", .moment(since), text: moment, phrase: ""),
        .init("accepted_until", .moment(acceptedUntil), text: end, phrase: ""),
    ])
}
