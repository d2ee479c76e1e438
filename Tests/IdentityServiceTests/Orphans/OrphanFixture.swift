import ServiceRuntime
import TestSupport

@testable import AccountLife
@testable import IdentityAssembly

extension IdentityFixture {
    var orphans: OrphanRepair { service.life.accountAdmin.orphans }

    /// The check of this fixture's store, which reports to its service.
    func orphanCheck(hasPasswords: Bool = true) -> OrphanCheck {
        OrphanCheck(
            store: store, hasPasswords: hasPasswords, time: time, logger: log.logger(time: time),
            findings: orphans.findings, repair: orphans)
    }

    /// Runs a check to its end.
    /// - Returns: all that is known by then.
    func run(_ check: OrphanCheck) async throws -> [Orphan] {
        while try await check.step() {}
        return orphans.findings.orphans(of: nil, after: nil, limit: 10_000)
    }

    /// A value of the metrics' page.
    func metric(_ name: String, _ kind: OrphanKind) -> Double? {
        let line = metrics.prometheusText().split(separator: "\n").first {
            $0.contains("\(name){") && $0.contains("\"\(kind.rawValue)\"")
        }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }
}
