import Contracts
import Messages
import TestSupport
import Testing

extension SystemTests.BackupsAndRestores {
    @Suite("Accounts that were deleted after the backup")
    struct DeletedAccounts {
        private static let lastMail = "This is the last email about it"
        private let ben = Person(2)

        @Test("Erasure: restored from a backup of before, an account is deleted again, all of it")
        func deletedAgain() async throws {
            let (backups, kept) = (try await Backups(), try TemporaryFolder())
            // It outlives the data folder, as on another disk.
            let settings = PlantedAccount.settings.merging(["POSTERN_TOMBSTONES": kept.path]) { $1 }
            try await StoryFixture.with(settings: settings, byHTTP: true) {
                fixture async throws in
                let cluster = fixture.cluster
                let planted = try await PlantedAccount(fixture)
                try await signUp(fixture)
                let file = try await backups.make(cluster)
                try await planted.delete(cluster)
                #expect(try await isOnly(ben, cluster))
                _ = try await fixture.letter(to: PlantedAccount.email, saying: Self.lastMail)
                await cluster.stop()

                let home = try await backups.restore(file, keysOf: cluster.data)
                // The copy has what is searched for.
                let copy = try await StoredCell.all(in: home.file("data/data"), isClosed: true)
                let places = Set(planted.stored.left(in: copy))
                for column in [
                    "identity.account_keys.sealed_key", "identity.documents.payload",
                    "identity.deletions.payload", "session.session.device_name",
                    "notification.push_device.token",
                ] {
                    #expect(places.contains(column), "\(column)")
                }
                try await Cluster.with(home, environment: fixture.environment) {
                    restored async throws in
                    // From the first moment on.
                    #expect(try await signIn(restored).exitCode == 1)
                    #expect(try await isOnly(ben, restored))
                    let left = try await planted.left(in: restored)
                    #expect(left == [])
                    #expect(try await signIn(restored).code == "auth/invalid-credential")
                    #expect(try await restored.signIn(ben).exitCode == 0)
                }
                #expect(
                    fixture.messages(to: PlantedAccount.email, saying: Self.lastMail).count == 1)
            }
        }

        private func signUp(_ fixture: StoryFixture) async throws {
            _ = try await fixture.backend.auth.signUpWithPassword(
                .init(
                    email: ben.email, password: .init(text: Person.password),
                    device: ben.gatewayDevice, displayName: "Ben",
                    acceptance: PlantedAccount.acceptance(bornIn: 1990)),
                fixture.backend.context(ben))
        }

        /// Signs in to the deleted account.
        private func signIn(_ cluster: Cluster) async throws -> Cluster.Answer {
            let credentials = [
                "email": PlantedAccount.email as Any, "password": Person.password,
            ]
            return try await cluster.auth(
                "SignInWithPassword", credentials, from: Person(1).address)
        }

        /// Whether a person has the only account; waits for it.
        private func isOnly(_ person: Person, _ cluster: Cluster) async throws -> Bool {
            try await eventually { try await cluster.emails() == [person.email] }
        }
    }
}
