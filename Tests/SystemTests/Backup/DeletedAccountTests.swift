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
                #expect(try await isGone(ada, ben, cluster))
                await cluster.stop()

                let home = try await backups.restore(file, keysOf: cluster.data)
                try await Cluster.with(home, environment: settings) { restored in
                    // From the first moment on.
                    #expect(try await restored.signIn(ada).code == "auth/invalid-credential")
                    #expect(try await isGone(ada, ben, restored))
                    #expect(try await restored.signIn(ben).exitCode == 0)
                    let isErased = try await eventually(within: .seconds(10)) {
                        restored.files().allSatisfy { !$0.holds("\(ada.device)'s name") }
                    }
                    #expect(isErased)
                }
            }
        }

        /// Whether one account exists and the other does not; waits for it.
        private func isGone(
            _ deleted: Person, _ kept: Person, _ cluster: Cluster
        ) async throws -> Bool {
            try await eventually { try await cluster.emails() == [kept.email] }
        }
    }
}
