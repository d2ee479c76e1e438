import Foundation
import TestSupport
import Testing

extension SystemTests {
    @Suite(
        "Erasure: what a deleted account has left behind",
        .enabled(if: TestStore.runs("DeletionCanaries")))
    struct DeletionCanaries {
        @Test("Erasure: ten seconds after a deletion no row and no file has anything of an account")
        func erased() async throws {
            try await StoryFixture.with(settings: PlantedAccount.settings, byHTTP: true) {
                fixture in
                let cluster = fixture.cluster
                let planted = try await PlantedAccount(fixture)
                // The search finds what is there.
                let missing = PlantedAccount.tables.subtracting(planted.stored.tables)
                #expect(missing == [])
                let files = planted.stored.left(in: cluster.files()).map { URL(filePath: $0) }
                for store in ["identity", "session", "notification"] {
                    #expect(files.contains { $0.lastPathComponent.hasPrefix(store) }, "\(store)")
                }
                #expect(cluster.blobs.count == 2, "the photo and the export")
                let accounts = try await export(cluster)
                for canary in PlantedAccount.exported {
                    #expect(accounts.contains(canary), "\(canary)")
                }

                try await planted.delete(cluster)
                #expect(try await planted.app.isToldGone())
                #expect(try await planted.left(in: cluster) == [])
                let left = try await export(cluster)
                #expect(!left.contains(PlantedAccount.mark))
                let trail = try await cluster.tool(["audit", "list", "-o", "json"])
                #expect(trail.exitCode == 0, "\(trail.errors)")
                #expect(!trail.output.contains(PlantedAccount.mark))
                let verified = try await cluster.tool(["audit", "verify"])
                #expect(verified.exitCode == 0, "A-02: \(verified.output)\(verified.errors)")
            }
        }

        /// All accounts, as an operator exports them.
        private func export(_ cluster: Cluster) async throws -> String {
            let folder = try TemporaryFolder()
            let file = folder.file("accounts.jsonl")
            let run = try await cluster.tool(["export", file])
            guard run.exitCode == 0 else { throw ClusterError(message: "export: \(run.errors)") }
            return try String(contentsOfFile: file, encoding: .utf8)
        }
    }
}
