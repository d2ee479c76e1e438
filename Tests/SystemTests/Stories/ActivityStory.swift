import Contracts
import Cryptography
import Foundation
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests {
    @Suite("D0: the activity of an account, by HTTP")
    struct Activity {
        private static let number = "+4915120160001"
        private static let wrongPassword = "Wrong7Horse"
        private static let newPassword = "Other7Horse"

        @Test("A-01, G-08, G-22, I-09: its owner sees each act; others do not, support is recorded")
        func story() async throws {
            let folder = try TemporaryFolder()
            let places = folder.file("places.mmdb")
            try Data(OneCountryFile.bytes("DE")).write(to: URL(filePath: places))
            let settings = ["POSTERN_PLACE_FILE": places, "POSTERN_FORMAL_LANGUAGES": "de"]
            try await StoryFixture.with(settings: settings, byHTTP: true) { fixture in
                let ada = Person(16_001)
                let eve = Person(16_002)
                let stranger = try await fixture.signUp(eve).session
                let acts = try await acts(of: ada, fixture)
                let session = acts.session
                try await expectEach(try await list(session, ada, fixture), ended: acts.ended)
                try await expectSentences(session, ada, fixture)
                let others = try await list(stranger, eve, fixture)
                #expect(
                    Set(others.map(\.kind)).isSubset(of: ["account.registered", "session.started"]))
                #expect(others.allSatisfy { [stranger?.sessionId, ""].contains($0.sessionId) })
                try await support(session, ada, fixture)
                try await expectNoCanary(acts, ada, fixture)
            }
        }

        /// What is left of somebody's acts.
        private struct Acts {
            let session: GatewayV1.Session?
            /// The id of a session that was signed out.
            let ended: String
            /// A code that was sent to a number.
            let code: String
            /// Passwords and tokens.
            let secrets: [String]
        }

        private func list(
            _ session: GatewayV1.Session?, _ person: Person, _ fixture: StoryFixture,
            in language: String = "en"
        ) async throws -> [GatewayV1.ActivityEntry] {
            var context = fixture.backend.context(person).bearing(session?.accessToken)
            context.metadata[Metadata.Key.acceptLanguage] = language
            var (request, entries) = (
                GatewayV1.ListActivityRequest(pageSize: 7), [GatewayV1.ActivityEntry]()
            )
            repeat {
                let page = try await fixture.backend.sessions.listActivity(request, context)
                entries += page.entries
                request.pageToken = page.nextPageToken
            } while !request.pageToken.isEmpty
            return entries
        }

        /// Signs up, signs in with a wrong and the right password, by a code and by Google, changes
        /// the password, and signs another session out.
        private func acts(of ada: Person, _ fixture: StoryFixture) async throws -> Acts {
            _ = try await fixture.signUp(ada)
            let wrong = try await refusal { try await fixture.signIn(ada, Self.wrongPassword) }
            #expect(wrong.code == .invalidCredential)
            let session = try await fixture.signIn(ada).session
            let context = fixture.backend.context(ada).bearing(session?.accessToken)
            let (request, code) = try await fixture.code(
                to: Self.number, for: .link, person: ada, accessToken: session?.accessToken)
            _ = try await fixture.backend.phone.linkPhone(
                .init(
                    requestId: request, phoneNumber: Self.number, code: code,
                    device: ada.gatewayDevice), context)
            _ = try await fixture.signIn(ada, byPhone: Self.number)
            let token = try await fixture.googleToken(of: "ada-16001", for: ada)
            _ = try await fixture.backend.methods.linkProvider(
                .init(token: token, device: ada.gatewayDevice), context)
            _ = try await fixture.signIn(
                ada, by: try await fixture.googleToken(of: "ada-16001", for: ada))
            _ = try await fixture.backend.passwords.changePassword(
                .init(
                    currentPassword: .init(text: Person.password),
                    newPassword: .init(text: Self.newPassword), device: ada.gatewayDevice),
                context)
            let other = try #require(try await fixture.signIn(ada, Self.newPassword).session)
            let end = try await fixture.backend.sessions.endSession(
                .init(sessionId: other.sessionId), context)
            #expect(end.endedSessions == 1)
            return Acts(
                session: session, ended: other.sessionId, code: code,
                secrets: [
                    Person.password, Self.wrongPassword, Self.newPassword, token.idToken,
                    token.nonce, other.accessToken, other.refreshToken,
                ] + [session?.accessToken, session?.refreshToken].compactMap(\.self))
        }

        private func expectEach(
            _ entries: [GatewayV1.ActivityEntry], ended: String
        ) async throws {
            let acts = Set(entries.map { "\($0.kind) \($0.detail) \($0.outcome)" })
            let expected: Set = [
                "account.registered  ", "sign-in.failed password auth/invalid-credential",
                "sign-in.succeeded password ", "sign-in.succeeded phone ",
                "sign-in.succeeded google ", "identity.linked phone ", "identity.linked google ",
                "account.password-replaced change ", "session.ended signed-out ",
                "session.started pwd ",
            ]
            #expect(expected.subtracting(acts) == [])
            for entry in entries
            where expected.contains("\(entry.kind) \(entry.detail) \(entry.outcome)") {
                #expect(entry.agent == WebClient.browser.agent, "\(entry)")
                #expect(entry.country == "DE", "\(entry)")
            }
            #expect(entries.allSatisfy { !$0.sentence.isEmpty })
            let end = entries.first { $0.kind == "session.ended" && $0.detail == "signed-out" }
            #expect(end?.sessionId == ended && end?.isCurrentSession == false)
            #expect(entries.filter(\.isCurrentSession).map(\.kind) == ["session.started"])
            // No canary: neither address, number, password nor name.
            let text = "\(entries)"
            for canary in ["ada.16001", "Ada", "example.org", Self.number, "Horse"] {
                #expect(!text.contains(canary), "\(canary)")
            }
        }

        private func expectSentences(
            _ session: GatewayV1.Session?, _ ada: Person, _ fixture: StoryFixture
        ) async throws {
            // The operator's setting makes the caller's `de` formal.
            let formal = Set(try await list(session, ada, fixture, in: "de").map(\.sentence))
            #expect(
                formal.isSuperset(of: [
                    "Sie haben Ihr Konto angelegt.", "Sie haben sich angemeldet (Google).",
                    "Jemand hat ohne Erfolg versucht, sich anzumelden (Passwort).",
                    "Sie haben Ihr Passwort geändert.", "Sie haben eine Sitzung beendet.",
                ]))
            let japanese = Set(try await list(session, ada, fixture, in: "ja").map(\.sentence))
            #expect(
                japanese.isSuperset(of: [
                    "アカウントを作成しました。", "ログインしました（電話番号）。",
                    "パスワードを変更しました。", "セッションからログアウトしました。",
                ]))
        }

        private func support(
            _ session: GatewayV1.Session?, _ ada: Person, _ fixture: StoryFixture
        ) async throws {
            let shown = try await fixture.cluster.tool([
                "accounts", "activity", ada.email, "--actor", "jane", "-o", "json",
            ])
            #expect(shown.exitCode == 0, "\(shown.errors)")
            for text in ["sign-in.failed", "account.password-replaced", "session.ended"] {
                #expect(shown.output.contains(text), "\(text): \(shown.output)")
            }
            let latest = try #require(try await list(session, ada, fixture).first)
            #expect(latest.kind == "account.activity-shown")
            #expect(latest.sentence == "Our support team looked at the activity of your account.")
            #expect(!"\(latest)".contains("jane"))
        }

        /// Attack: what people type and hold outlives them in a trail, or is read in a log.
        private func expectNoCanary(
            _ acts: Acts, _ ada: Person, _ fixture: StoryFixture
        ) async throws {
            let places = [
                "audit watch":
                    try await fixture.cluster.watchedLines(until: "account.activity-shown"),
                "a log": try fixture.cluster.logLines(),
            ]
            let known = [
                ada.email, ada.gatewayDevice.name, String(Self.number.dropFirst()), "\"Ada\"",
            ]
            // A browser has its refresh token in a cookie only.
            let canaries = (acts.secrets + known).filter { !$0.isEmpty }
            for (place, lines) in places {
                #expect(!lines.isEmpty, "\(place)")
                for canary in canaries {
                    let found = lines.first { $0.contains(canary) }
                    #expect(found == nil, "\(place)")
                }
                let found = lines.first { line in
                    line.split { !$0.isNumber }.contains(acts.code[...])
                }
                #expect(found == nil, "the code in \(place)")
            }
        }
    }
}

/// A MaxMind DB in which every IPv4 address is in one country: one node, whose two branches both
/// lead to the same record. (MaxMind DB file format specification, version 2.0.)
private enum OneCountryFile {
    static func bytes(_ country: String) -> [UInt8] {
        // The value of a branch is the number of nodes, 16 for the separator, and the place in the
        // data.
        let branch: [UInt8] = [0, 0, 17]
        let data = map([("country", map([("iso_code", text(country))]))])
        let metadata = map([
            ("node_count", [0xC1, 1]), ("record_size", [0xA1, 24]), ("ip_version", [0xA1, 4]),
            ("database_type", text("Test-Country")), ("languages", [0x00, 0x04]),
            ("binary_format_major_version", [0xA1, 2]), ("binary_format_minor_version", [0xA0]),
            ("build_epoch", [0x04, 0x02, 0x65, 0, 0, 0]), ("description", [0xE0]),
        ])
        return branch + branch + [UInt8](repeating: 0, count: 16) + data
            + [0xAB, 0xCD, 0xEF] + Array("MaxMind.com".utf8) + metadata
    }

    /// A text of 28 bytes at most.
    private static func text(_ text: String) -> [UInt8] {
        precondition(text.utf8.count <= 28)
        return [0x40 | UInt8(text.utf8.count)] + Array(text.utf8)
    }

    private static func map(_ members: [(String, [UInt8])]) -> [UInt8] {
        [0xE0 | UInt8(members.count)] + members.flatMap { text($0.0) + $0.1 }
    }
}
