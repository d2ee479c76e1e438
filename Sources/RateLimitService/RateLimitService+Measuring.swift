package import Contracts
import RPC
import ServiceRuntime

extension RateLimitService {
    /// For benchmarks: charges each of `count` subjects of a limit once. Their names are the
    /// numbers below `count` in eight digits. Returns once they are on disk.
    /// - Throws: `rpc/unavailable` if the disk accepts no writes.
    package func fill(_ limit: LimitName, subjects count: Int) async throws {
        let rule = policies.value.rule(limit)
        let now = time.now()
        for subject in 0..<count {
            let digits = "\(subject)"
            let name = String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits
            let request = LimitRequest(
                key: subjects.key(limit, name, rule, subjects.ring, at: now), rule: rule,
                isShadow: false)
            _ = table.decide(.consume, request, at: now)
        }
        try await table.persisted([])
    }
}
