import Foundation
import TestSupport
import Testing

extension SystemTests.BackupsAndRestores {
    @Suite("Accounts that were deleted after the backup")
    struct DeletedAccounts {
        @Test("Erasure: restored from a backup of before, a deleted account is deleted again")
        func deletedAgain() async throws {
            let (backups, kept) = (try await Backups(), try TemporaryFolder())
            // It outlives the data folder, as on another disk.
            let settings = ["POSTERN_TOMBSTONES": kept.path]
            let (ada, ben) = (Person(1), Person(2))
            try await Cluster.with(environment: settings) { cluster in
                for person in [ada, ben] {
                    #expect(try await cluster.signUp(person).exitCode == 0)
                }
                let file = try await backups.make(cluster)
                let run = try await cluster.tool(["accounts", "delete", ada.email, "--yes"])
                #expect(run.exitCode == 0, "\(run)")
                #expect(try await isOnly(ben, cluster))
                await cluster.stop()

                let home = try await backups.restore(file, keysOf: cluster.data)
                try await Cluster.with(home, environment: settings) { restored in
                    // From the first moment on.
                    #expect(try await restored.signIn(ada).exitCode == 1)
                    #expect(try await isOnly(ben, restored))
                    #expect(try await restored.signIn(ada).code == "auth/invalid-credential")
                    #expect(try await restored.signIn(ben).exitCode == 0)
                }
            }
        }

        /// Whether a person has the only account; waits for it.
        private func isOnly(_ person: Person, _ cluster: Cluster) async throws -> Bool {
            try await eventually { try await cluster.emails() == [person.email] }
        }
    }
}
