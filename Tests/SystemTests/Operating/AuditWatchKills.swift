import Foundation
import TestSupport
import Testing

extension SystemTests {
    /// Five kills, or as many as `POSTERN_SOAK_ROUNDS` says.
    @Suite("A-03: `postern audit watch`, killed while people sign up")
    struct AuditWatchKills {
        private static let rounds = SoakRounds.count(ordinarily: 5)
        private static let seed = SoakRounds.seed ?? 11

        @Test("no entry is missing, and only those of the last write come again")
        func killed() async throws {
            try await Cluster.with { cluster in
                let folder = try TemporaryFolder()
                let (lines, state) = (folder.file("audit.jsonl"), folder.file("state"))
                let options =
                    ["audit", "watch", "-o", "json", "--to", lines, "--state", state, "--since"]
                    + ["2020-01-01"] + cluster.endpoints
                let load = Task {
                    var number = 0
                    while !Task.isCancelled {
                        number += 1
                        _ = try? await cluster.signUp(Person(number))  // the limit ends it
                    }
                }
                let randomness = SeededRandomness(seed: Self.seed)
                var ends: [Int] = []
                for _ in 0..<Self.rounds {
                    let tool = RunningProcess(
                        BuiltPrograms.path("postern"), options, in: folder.path)
                    try tool.start()
                    let part = Double(randomness.next() % 100) / 100
                    try await Task.sleep(for: .milliseconds(500 + Int(3_000 * part)))
                    tool.send(SIGKILL)
                    _ = await tool.end(within: .seconds(5))
                    ends.append(try read(lines).count)
                }
                load.cancel()
                await load.value
                try await finish(options, cluster, lines, in: folder)
                try expectRepeats(try read(lines), ends)
            }
        }

        /// Lets the watch catch up, and compares what it wrote with the trails.
        private func finish(
            _ options: [String], _ cluster: Cluster, _ lines: String, in folder: TemporaryFolder
        ) async throws {
            let all = try await cluster.tool([
                "audit", "list", "--oldest", "--limit", "1000000", "-o", "json",
            ])
            let wanted = Set(all.output.split(separator: "\n").compactMap { Self.place($0) })
            #expect(wanted.count > Self.rounds)
            let tool = RunningProcess(BuiltPrograms.path("postern"), options, in: folder.path)
            try tool.start()
            let isWhole = try await eventually {
                wanted.isSubset(of: Set(try read(lines).compactMap { Self.place($0) }))
            }
            tool.send(SIGTERM)
            #expect(await tool.end(within: .seconds(5)) == 0)
            #expect(isWhole, "entries are missing")
        }

        /// What comes again after a kill is the end of what was written before it.
        private func expectRepeats(_ lines: [Substring], _ ends: [Int]) throws {
            var start = 0
            var before: [String] = []
            for end in ends + [lines.count] {
                let run = lines[start..<max(start, end)].compactMap { Self.place($0) }
                #expect(Set(run).count == run.count, "an entry comes twice in one run")
                let again = run.prefix { before.contains($0) }
                #expect(before.suffix(again.count) == again)
                #expect(Set(run.dropFirst(again.count)).isDisjoint(with: before))
                if !run.isEmpty { before += run.dropFirst(again.count) }
                start = max(start, end)
            }
        }

        private func read(_ path: String) throws -> [Substring] {
            guard FileManager.default.fileExists(atPath: path) else { return [] }
            return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        }

        /// The service and the position of a row; nil for a line that a kill has cut off.
        private static func place(_ line: Substring) -> String? {
            struct Entry: Decodable {
                let service: String
                let position: Int64
            }
            let row = line.drop { "[], ".contains($0) }
            let entry = try? JSONDecoder().decode(Entry.self, from: Data(row.utf8))  // or cut off
            return entry.map { "\($0.service) \($0.position)" }
        }
    }
}
