import Foundation
import Glibc
import TestSupport
import Testing

extension SystemTests {
    /// Rounds of kills: two, or as many as `POSTERN_SOAK_ROUNDS` says. `POSTERN_SOAK_SEED` repeats
    /// the times of the kills, but not the machine's own timing.
    @Suite(
        "Backups and restores that are killed",
        .enabled(if: TestStore.runs("*Backup*")))
    struct BackupCrashes {
        private static let rounds = SoakRounds.count(ordinarily: 2)
        private static let seed = SoakRounds.seed ?? 7
        /// Rounds of one cluster: those of a long run do not fit into the time of one test.
        private static let batchRounds = 10
        private static let batches = (rounds + batchRounds - 1) / batchRounds

        /// What a round kills while a backup is made.
        private enum Victim: CaseIterable {
            case tool
            case service
            case both
            /// The program that encrypts.
            case age
        }

        @Test(
            "O-01: killed at any time, no backup is half of one, and the next one is whole",
            arguments: 0..<batches)
        func backup(batch: Int) async throws {
            let first = batch * Self.batchRounds
            let backups = try await Backups()
            let log = SignUpLog()
            try await Cluster.with { cluster async throws in
                try await log.during(cluster) {
                    try await log.grow(by: 4)
                    for round in first..<min(first + Self.batchRounds, Self.rounds) {
                        let place = "round \(round), seed \(Self.seed)"
                        try await killed(round, backups, cluster, place)
                        try await expectNoCopies(cluster, place)
                        let before = log.acknowledged
                        let file = try await wholeBackup(backups, cluster, place)
                        try await expectAll(before, in: file, round, backups, cluster, place)
                    }
                }
            }
        }

        /// Kills during a backup. If the tool ended well nevertheless, its backup is a whole one.
        private func killed(
            _ round: Int, _ backups: Backups, _ cluster: Cluster, _ place: String
        ) async throws {
            let randomness = SeededRandomness(seed: Self.seed &+ UInt64(round))
            let victim = Victim.allCases[Int(randomness.next() % UInt64(Victim.allCases.count))]
            let names = ["identity", "session", "rate-limit", "notification"]
            let service = names[Int(randomness.next() % 4)]
            let before = try backups.files()
            let tool = RunningProcess(
                BuiltPrograms.path("postern"), backups.arguments(cluster), in: "/tmp")
            try tool.start()
            try await Task.sleep(for: .milliseconds(Int(randomness.next() % 400)))
            if victim == .service || victim == .both { try cluster.crash(service) }
            if victim == .tool || victim == .both { tool.send(SIGKILL) }
            if victim == .age { try await killAge(of: tool) }
            let exitCode = await tool.end(within: .seconds(60))
            let new = try backups.files().filter { !before.contains($0) }
            #expect(exitCode != 0 || new.count == 1, "\(place)")
            if victim == .age, exitCode != 0 {
                #expect(try new.isEmpty && backups.drafts().isEmpty, "\(place)")
            }
            for file in new {
                let verified = try await backups.verify(file, keysOf: cluster)
                #expect(verified.exitCode == 0, "\(place): \(verified.output)\(verified.errors)")
            }
        }

        /// Kills the program that encrypts or opens a backup for the tool, once it runs; not if the
        /// tool ends before.
        private func killAge(of tool: RunningProcess) async throws {
            while tool.isRunning {
                let programs = try ProcessTree.started("age", below: tool.id)
                for program in programs { kill(program, SIGKILL) }
                if !programs.isEmpty { return }
                try await Task.sleep(for: .milliseconds(1))
            }
        }

        /// The temporary copy of a store is gone once its service has noticed that nobody reads it,
        /// or has started again.
        private func expectNoCopies(_ cluster: Cluster, _ place: String) async throws {
            let areGone = try await eventually {
                try FileManager.default.contentsOfDirectory(atPath: "\(cluster.data)/data")
                    .allSatisfy { !$0.contains(".backup-copy") }
            }
            #expect(areGone, "\(place)")
        }

        /// A backup, as soon as the killed service runs again.
        private func wholeBackup(
            _ backups: Backups, _ cluster: Cluster, _ place: String
        ) async throws -> String {
            var (file, last): (String?, any Error) = (nil, ClusterError(message: place))
            let isThere = try await eventually {
                do {
                    file = try await backups.make(cluster)
                    return true
                } catch {
                    last = error
                    return false
                }
            }
            guard isThere, let file else { throw last }
            return file
        }

        /// Restores twice: the first restore, or the program that opens its file, is killed at a
        /// random time. The restored services know everybody.
        private func expectAll(
            _ people: [Person], in file: String, _ round: Int, _ backups: Backups,
            _ cluster: Cluster, _ place: String
        ) async throws {
            let home = try await backups.home(withKeysOf: cluster.data)
            let arguments = backups.restoring(file, in: home)
            let tool = RunningProcess(BuiltPrograms.path("postern"), arguments, in: "/tmp")
            try tool.start()
            let randomness = SeededRandomness(seed: Self.seed &+ UInt64(round))
            try await Task.sleep(for: .milliseconds(Int(randomness.next() % 150)))
            let killsTool = round.isMultiple(of: 2)
            if killsTool { tool.send(SIGKILL) } else { try await killAge(of: tool) }
            if await tool.end(within: .seconds(60)) != 0 {
                if !killsTool {
                    let placed = try FileManager.default.contentsOfDirectory(
                        atPath: home.file("data/data"))
                    #expect(placed == [], "\(place)")
                }
                let again = try await ProgramRun.run("postern", arguments)
                // Only a restore that was complete refuses: it had placed everything.
                let isComplete = again.errors.contains("exists, and a restore replaces nothing")
                #expect(again.exitCode == 0 || isComplete, "\(place): \(again.errors)")
            }
            try await Cluster.with(home) { restored async throws in
                let known = try await restored.emails()
                let missing = people.map(\.email).filter { !known.contains($0) }
                #expect(missing == [], "\(place)")
                for person in people.suffix(3) {
                    let answer = try await restored.signIn(person)
                    #expect(answer.exitCode == 0, "\(place), \(person.email): \(answer.json)")
                }
            }
        }

        @Test("O-01: no service starts while a restore is incomplete, and each says what to do")
        func incomplete() async throws {
            let backups = try await Backups()
            try await Cluster.with { cluster async throws in
                #expect(try await cluster.signUp(Person(1)).exitCode == 0)
                let file = try await backups.make(cluster)
                let home = try await backups.restore(file, keysOf: cluster.data)
                // As a crash leaves it, between two renames.
                let data = home.file("data/data")
                try await Backups.shell(
                    """
                    mkdir -m 700 '\(data)/restoring'
                    mv '\(data)/session.sqlite' '\(data)/restoring'
                    (cd '\(data)'; ls -p | grep -v /; echo session.sqlite) >'\(data)/restoring/placed'
                    """)
                let run = try await ProgramRun.run(
                    "postern", ["up", "--data", home.file("data"), "--port-base", "0"],
                    limit: .seconds(30))
                #expect(run.exitCode == 1)
                #expect(
                    run.errors.contains("did not finish: run the same `postern restore`"),
                    "\(run.errors)")
                let again = try await ProgramRun.run(
                    "postern", backups.restoring(file, in: home))
                #expect(again.exitCode == 0, "\(again.errors)")
                try await Cluster.with(home) { restored async throws in
                    #expect(try await restored.signIn(Person(1)).exitCode == 0)
                }
            }
        }
    }
}
