import Glibc
import PublicCalls
import TestSupport
import Testing

extension SystemTests {
    /// Twenty hostile accounts of five addresses make the calls of one method after the other, each
    /// as many as its limits allow and more, half of them with a deadline of 1,100 ms. The requests
    /// are those of `PublicCalls`, at the bounds of their fields; the limits are the defaults.
    /// Attackers, bystanders and programs share the machine.
    ///
    /// An ordinary run takes the five dearest methods, and says nothing about times: its programs are
    /// debug builds. `docker/soak.sh` has the step `abuse` for all methods with programs for release.
    /// Each method has a line of what the attackers reached (`AttackReport`).
    @Suite("A few hostile accounts")
    struct Abuse {
        /// Methods of one start of the programs: all of them do not fit into the time of one test.
        private static let batchMethods = 5
        private static let batches = (methods.count + batchMethods - 1) / batchMethods
        /// All, or those whose names contain `POSTERN_SOAK_METHODS`.
        private static let methods: [String] = {
            let part = getenv("POSTERN_SOAK_METHODS").map { String(cString: $0) } ?? ""
            return PublicCalls.all.map(\.name).filter { part.isEmpty || $0.contains(part) }
        }()

        /// The methods that take most of the programs, with the accounts that attack by each: what
        /// these need before is as dear as the attack. Debug programs take seconds of a processor for
        /// 1 MiB of documents, which each account has here but those with a bundle.
        private static let dearest = [
            Planned("Guests/UploadGuestBundle, most documents", accounts: 20),
            Planned("Guests/ChooseGuestData", accounts: 4),
            Planned("Documents/WriteDocuments, most, merges", accounts: 2),
            Planned("BackendDocuments/WriteAccountDocuments, most, merges", accounts: 2),
            Planned("Guests/RetryMigration, again", accounts: 1),
        ]

        @Test("the calls whose limits are known are calls of PublicCalls")
        func names() { #expect(AttackedLimits.unknown == []) }

        @Test(
            "SECURITY.md, Costs: beside attacks by the dearest methods no bystander's call fails",
            .enabled(if: !SoakRounds.isLong))
        func dearestMethods() async throws {
            try await AbuseStage.with(.few) { stage in
                let attacks = try await stage.attacks(Self.dearest)
                for attack in attacks {
                    expectFair(try await stage.run(attack, for: .seconds(5)))
                }
            }
        }

        @Test(
            "SECURITY.md, Costs: beside an attack by any method bystanders are served as usual",
            .enabled(if: SoakRounds.isLong), arguments: 0..<batches)
        func allMethods(batch: Int) async throws {
            try await AbuseStage.with(.many) { stage in
                let alone = await stage.bystanders.run(for: .seconds(20))
                print("abuse: bystanders alone: \(alone)")
                #expect(alone.failures.isEmpty, "alone: \(alone.failures)")
                let names = Self.methods.dropFirst(batch * Self.batchMethods)
                for name in names.prefix(Self.batchMethods) {
                    do {
                        let attack = try await stage.attack(Planned(name, accounts: 20))
                        let report = try await stage.run(attack, for: .seconds(20))
                        expectFair(report)
                        expectQuick(report, alone)
                    } catch {
                        // The other methods are still attacked.
                        Issue.record("\(name): \(error)")
                    }
                }
            }
        }

        private func expectFair(_ report: AttackReport) {
            print("abuse: \(report)")
            fflush(nil)
            let failures = report.bystanders.failures
            #expect(failures.isEmpty, "\(report.name): \(failures.prefix(3))")
            #expect(report.breakerOpens == 0, "\(report.name): a breaker opened")
            #expect(report.endedPrograms.isEmpty, "\(report.name): \(report.endedPrograms) ended")
            #expect(report.counts.calls > 0, "\(report.name): no call")
        }

        private func expectQuick(_ report: AttackReport, _ alone: BystanderCalls) {
            for act in Bystander.Act.allCases {
                let usual = alone.percentile(99, of: act)
                let beside = report.bystanders.percentile(99, of: act)
                #expect(
                    beside <= max(usual * 3, .milliseconds(50)),
                    "\(report.name): p99 of \(act) \(beside), \(usual) alone")
            }
        }
    }
}
