import Contracts
import Foundation
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

extension SystemTests.GuestDataStories {
    @Suite("D3 1: what a guest has saved, at a sign-up")
    struct SignUp {
        private let fixture: StoryFixture
        private let web: WebClient

        init() throws {
            fixture = try #require(StoryFixture.current)
            web = try WebClient(fixture.cluster)
        }

        private func guest(_ person: Person) async throws -> SignedInApp {
            SignedInApp(fixture, person, try await fixture.guest(person).session)
        }

        /// The person's app after a sign-up or sign-in with Google, whose addresses are proved.
        private func google(
            _ person: Person, in guest: SignedInApp? = nil
        ) async throws -> (app: SignedInApp, answer: GatewayV1.SignInWithProviderResponse) {
            let token = try await fixture.googleToken(
                of: "g-\(person.device)", email: person.email, for: person)
            let answer = try await fixture.signIn(
                person, by: token, accessToken: guest?.session?.accessToken)
            return (SignedInApp(fixture, person, answer.session), answer)
        }

        private func document(
            _ name: String, _ content: [String: Any] = ["km": 7]
        ) -> [String: Any] {
            [
                "collection": "goals", "name": name, "document": content,
                "changedAtMs": 1_700_000_000_000,
            ]
        }

        @Test("D3 1.5: a sign-up keeps the guest's documents, and moves what the device has")
        func migrated() async throws {
            let ada = Person(36_001)
            let guest = try await guest(ada)
            try await guest.write("settings", #"{"units":"metric"}"#)
            let (app, signedUp) = try await google(ada, in: guest)
            #expect(signedUp.isUpgraded && signedUp.isNewUser && signedUp.collision == nil)
            let bundle = try await web.putGuestBundle(
                [
                    document("monday"), document("tuesday", ["km": 12, "note": "\"rain\""]),
                    // The account's is newer.
                    [
                        "collection": "settings", "name": "main", "json": #"{"units":"imperial"}"#,
                        "changedAtMs": "1700000000000",
                    ],
                ], app.context(key: "bundle-36001-once-and-again"))
            #expect(bundle.documents == 3)
            let migration = try await app.ended(bundle.migrationId)
            #expect(migration.state == .succeeded && migration.done == 3)
            #expect(migration.issues.isEmpty)
            let contents = try await app.contents()
            #expect(contents["settings/main"] == #"{"units":"metric"}"#)
            #expect(contents["goals/monday"] == #"{"km":7}"#)
            #expect(contents["goals/tuesday"]?.contains(#"\"rain\""#) == true, "\(contents)")
            #expect(contents.count == 3)
        }

        @Test("D3 1.6: a sign-up succeeds although the migration fails, which is repeated")
        func unreachable() async throws {
            let ada = Person(36_002)
            let (app, signedUp) = try await google(ada, in: try await guest(ada))
            #expect(signedUp.isNewUser)
            try fixture.cluster.crash("identity")
            // The app repeats with the same key until the service is back.
            let context = app.context(key: "bundle-36002-once-and-again")
            func upload() async throws -> UploadedBundle {
                try await retried {
                    try await web.putGuestBundle([document("a"), document("b")], context)
                }
            }
            let first = try await upload()
            let again = try await upload()
            #expect(again.migrationId == first.migrationId)
            // What has begun goes on after a crash.
            try fixture.cluster.crash("identity")
            let migration = try await app.ended()
            #expect(migration.migrationId == first.migrationId)
            #expect(migration.state == .succeeded && migration.done == 2)
            let contents = try await app.contents()
            #expect(Set(contents.keys) == ["goals/a", "goals/b"])
            #expect(try await app.isSignedIn())
        }

        @Test("D3 1.6: what needs attention is told by call and mail; then it is tried again")
        func attention() async throws {
            let ada = Person(36_003)
            let (app, _) = try await google(ada)
            let roomFor = 1
            for number in 1...SharedGuestDataFixture.documentsMax - roomFor {
                try await app.write("preferences", "{}", name: "n\(number)")
            }
            let bundle = try await web.putGuestBundle(
                ["a", "b", "c"].map { document($0) },
                app.context(key: "bundle-36003-once-and-again"))
            let full = try await app.ended(bundle.migrationId)
            #expect(full.state == .needsAttention && full.documents == 3)
            #expect(full.issues.map(\.collection) == ["goals", "goals"])
            #expect(full.issues.map(\.code) == ["auth/document-quota", "auth/document-quota"])
            _ = try await fixture.letter(to: ada.email, saying: "items that are still missing: 2")
            #expect(try await app.states(of: bundle.migrationId) == [.needsAttention])
            for number in 1...2 {
                _ = try await fixture.backend.documents.removeDocument(
                    .init(collection: "preferences", name: "n\(number)"), app.context())
            }
            _ = try await fixture.backend.guests.retryMigration(
                .init(migrationId: bundle.migrationId), app.context())
            let done = try await app.ended(bundle.migrationId)
            #expect(done.state == .succeeded && done.done == 3 && done.issues.isEmpty)
            let contents = try await app.contents()
            #expect(contents.keys.count { $0.hasPrefix("goals/") } == 3, "\(contents)")
        }
    }

    @Suite("D4 9: anonymous first, then an account that exists")
    struct AnonymousFirst {
        private static let older = #"{"from":"account"}"#
        private static let newer = #"{"from":"guest"}"#
        private let fixture: StoryFixture

        init() throws { fixture = try #require(StoryFixture.current) }

        /// An account, a guest of the same person, and the sign-in to the account in its session.
        /// Both have `goals` and `settings`, the guest's are newer; the guest has `preferences`.
        private func collision(
            _ number: Int
        ) async throws -> (app: SignedInApp, guest: SignedInApp, collision: GatewayV1.Collision) {
            let ada = Person(number)
            let phone = "+49151202\(number)"
            let account = try await fixture.signIn(ada, byPhone: phone)
            let before = SignedInApp(fixture, ada, account.session)
            try await before.write("goals", Self.older)
            try await before.write("settings", Self.older)
            let guest = SignedInApp(fixture, ada, try await fixture.guest(ada).session)
            for collection in ["goals", "preferences", "settings"] {
                try await guest.write(collection, Self.newer)
            }
            let signedIn = try await fixture.signIn(
                ada, byPhone: phone, accessToken: guest.session?.accessToken)
            #expect(signedIn.account?.accountId == account.account?.accountId)
            #expect(!signedIn.isUpgraded)
            let collision = try #require(signedIn.collision)
            #expect(!collision.choiceToken.isEmpty && collision.migration == nil)
            #expect(collision.choice == .init(rawValue: 0))
            return (SignedInApp(fixture, ada, signedIn.session), guest, collision)
        }

        private func choose(
            _ choice: GatewayV1.GuestDataChoice, _ collision: GatewayV1.Collision,
            picks: [GatewayV1.DocumentPick] = [], in app: SignedInApp
        ) async throws -> GatewayV1.Migration? {
            try await fixture.backend.guests.chooseGuestData(
                .init(choiceToken: collision.choiceToken, choice: choice, picks: picks),
                app.context()
            ).migration
        }

        /// Whether the guest's session ends.
        private func ends(_ guest: SignedInApp) async throws -> Bool {
            try await eventually { try await !guest.isSignedIn() }
        }

        @Test("D4 9.4: the person compares both sides, merges, and chooses one document's side")
        func merge() async throws {
            let (app, guest, collision) = try await collision(36_011)
            #expect(try await guest.isSignedIn(), "nothing happens before the choice")
            let page = try await fixture.backend.guests.compareGuest(
                .init(choiceToken: collision.choiceToken, withJson: true), app.context())
            #expect(page.guestDocuments == 3 && page.accountDocuments == 2)
            #expect(page.documents.map(\.collection) == ["goals", "preferences", "settings"])
            #expect(page.documents.allSatisfy { $0.newer == .guest })
            #expect(page.documents.first?.account?.json == Self.older)
            #expect(page.documents.first?.guest?.json == Self.newer)
            let picks = [GatewayV1.DocumentPick(collection: "goals", name: "main", keep: .account)]
            let chosen = try #require(try await choose(.merge, collision, picks: picks, in: app))
            let again = try await choose(.merge, collision, picks: picks, in: app)
            #expect(again?.migrationId == chosen.migrationId)
            let states = try await app.states(of: chosen.migrationId)
            #expect(states.last == .succeeded, "\(states)")
            let migration = try await app.ended(chosen.migrationId)
            #expect(migration.choice == .merge && migration.documents == 3 && migration.done == 3)
            #expect(
                try await app.contents() == [
                    "goals/main": Self.older, "preferences/main": Self.newer,
                    "settings/main": Self.newer,
                ])
            #expect(try await ends(guest))
            let other = try await refusal { try await choose(.keep, collision, in: app) }
            #expect(other.code == .invalidChoice)
        }

        @Test("D4 9.4: a guest that is kept is read with its own session, and not written")
        func keep() async throws {
            let (app, guest, collision) = try await collision(36_012)
            let kept = try #require(try await choose(.keep, collision, in: app))
            #expect(kept.state == .succeeded && kept.choice == .keep && kept.documents == 0)
            #expect(try await guest.contents().count == 3)
            let error = try await refusal { try await guest.write("goals", "{}") }
            #expect(error.code == .operationNotAllowed)
            #expect(
                try await app.contents() == [
                    "goals/main": Self.older, "settings/main": Self.older,
                ])
        }

        @Test("D4 9.4: a guest that is discarded is gone, and the account is as it was")
        func discard() async throws {
            let (app, guest, collision) = try await collision(36_013)
            let stranger = try await fixture.signUp(Person(36_014))
            let foreign = try await refusal {
                try await choose(
                    .merge, collision, in: SignedInApp(fixture, Person(36_014), stranger.session))
            }
            #expect(foreign.code == .invalidChoice)
            let discarded = try await choose(.discard, collision, in: app)
            #expect(discarded?.state == .succeeded)
            #expect(try await ends(guest))
            #expect(
                try await app.contents() == [
                    "goals/main": Self.older, "settings/main": Self.older,
                ])
        }
    }
}
