import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-04: a single charge is decided like a batch", .timeLimit(.minutes(1)))
struct ChargeAloneTests {
    private static let charge = (LimitName.profileUpdateByAccount.rawValue, "acc_1")

    @Test("R-04: a single charge is decided as in a batch with a looser one, also after a rotation")
    func asInABatch() async throws {
        let time = ManualTime()
        let alone = try await LimitsFixture(time: time)
        let beside = try await LimitsFixture(time: time)
        var limited = 0
        for round in 0..<60 {
            if round == 7 {
                for fixture in [alone, beside] {
                    try await fixture.service.subjectKeys.rotate(at: time.now())
                }
            }
            let other = (LimitName.unaddressedByApplication.rawValue, "app-\(round)")
            let decision = try await alone.consume([Self.charge]).decision
            #expect(
                try await decision == beside.consume([Self.charge, other]).decision,
                "round \(round)")
            if decision.limited { limited += 1 }
            time.advance(by: .seconds(180))
        }
        #expect(limited == 30, "ten in an hour, and twenty calls in each")
        let kinds = try await alone.audited().map(\.kind)
        #expect(try await kinds == beside.audited().map(\.kind))
    }

    @Test("R-06: a limit in shadow mode is counted and never rejects")
    func shadow() async throws {
        let fixture = try await LimitsFixture()
        fixture.service.limits.policies.replace(
            LimitPolicies { LimitPolicy(rule: $0.rule, isShadow: $0 == .profileUpdateByAccount) })
        for _ in 0..<20 {
            #expect(try await !fixture.consume([Self.charge]).decision.limited)
        }
        fixture.service.limits.policies.replace(.standard)
        #expect(try await fixture.consume([Self.charge]).decision.limited)
    }

    @Test("R-04: an unknown limit, an internal limit or an empty subject is rejected")
    func refused() async throws {
        let fixture = try await LimitsFixture()
        for (charge, field) in [
            (("profile-update", "acc_1"), "charges.limit"),
            ((LimitName.signInWithoutHistory.rawValue, "everybody"), "charges.limit"),
            ((Self.charge.0, ""), "charges.subject"),
        ] {
            await #expect(throws: ServiceError(.invalidArgument, fields: [field])) {
                try await fixture.consume([charge])
            }
        }
    }
}
