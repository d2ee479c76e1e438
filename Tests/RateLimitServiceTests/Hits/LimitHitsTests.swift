import Contracts
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import RateLimitService

@Suite("A-01: limits that were reached are recorded in the audit trail", .timeLimit(.minutes(1)))
struct LimitHitsTests {
    @Test(
        "A-01: the audit kind depends on the limit, the rejections and the attempt",
        arguments: [
            (.phoneCodeRequest, 1, 2, .limitReached), (.phoneCodeRequest, 500, 2, .limitReached),
            (.phoneCodeRequest, 1, 3, .limitRepeated), (.phoneCodeRequest, 1, 4, .limitSevere),
            (.phoneCodeRequest, 1, 11, .limitSevere), (.phoneCodeGuess, 1, 6, .bruteForce),
            (.phoneCodeGuessByKnownDevice, 1, 6, .bruteForce),
            (.failedProviderByAccount, 100, 6, .bruteForce),
            (.phoneCodeByBlock, 1, 31, .pumping), (.phoneCodeByCountry, 1, 501, .pumping),
            (.phoneCodeByAddress, 1, 21, .pumping),
            (.failedSignInByAccount, 19, 6, .limitReached),
            (.failedSignInByAccount, 20, 6, .limitRepeated),
            (.failedSignInByAccount, 99, 6, .limitRepeated),
            (.failedSignInByAccount, 100, 6, .bruteForce),
            (.failedProviderByAddress, 100, 51, .bruteForce),
            (.failedPasskeyByAddress, 100, 51, .bruteForce),
            (.mailedCodeGuess, 1, 6, .bruteForce), (.totpGuess, 1, 6, .bruteForce),
            (.totpGuessByKnownDevice, 1, 6, .bruteForce),
            (.secondProofByAddress, 100, 51, .bruteForce),
            (.challengeCodeByAccount, 1, 6, .limitReached),
            (.signUpByAddress, 19, 4, .limitReached), (.signUpByAddress, 20, 4, .limitRepeated),
            (.signUpByAddress, 100, 4, .limitSevere),
        ] as [(LimitName, Int, Int, AuditKind)])
    func severity(limit: LimitName, refused: Int, attempt: Int, kind: AuditKind) {
        #expect(limit.auditKind(refused: refused, attempt: attempt) == kind)
    }

    @Test("A-01: a flood makes one record with its count for each subject and wait, at its end")
    func flood() async throws {
        let fixture = try await LimitsFixture()
        for wait in 1...2 {
            for _ in 0..<5 { try await fixture.consume(.failedSignInByAccount, "ada@example.org") }
            for _ in 0..<30 { try await fixture.consume(.failedSignInByAccount, "ada@example.org") }
            let before = try await fixture.audited()
            #expect(before.count == wait - 1)
            fixture.time.advance(by: .seconds(900))
            let after = try await fixture.audited()
            #expect(after.count == wait)
            #expect(after.last?.kind == "limit.repeated" && after.last?.attempt == 30)
        }
        #expect(try await fixture.count("audit", where: "length(subject) = 16") == 2)
        #expect(try await fixture.count("hits") == 0)
    }

    @Test("D0: the first refusal of a wait says so, and the next wait's first does again")
    func first() async throws {
        let fixture = try await LimitsFixture()
        for _ in 0..<2 {
            var firsts: [Bool] = []
            for _ in 0..<8 {
                let answer = try await fixture.consume([
                    ("failed-sign-in-by-account", "ada@example.org")
                ])
                firsts.append(answer.decision.firstRefusal)
            }
            #expect(firsts == [false, false, false, false, false, true, false, false])
            fixture.time.advance(by: .seconds(900))
            await fixture.service.flush()
        }
    }

    @Test("A-01: after a kill during a flood, the next process records what was counted")
    func kill() async throws {
        let fixture = try await LimitsFixture()
        for _ in 0..<12 { try await fixture.consume(.failedSignInByAccount, "ada@example.org") }
        await fixture.service.flush()
        let next = try await fixture.restarted(afterKill: true)
        for _ in 0..<3 { try await next.consume(.failedSignInByAccount, "ada@example.org") }
        next.time.advance(by: .seconds(900))
        let records = try await next.audited()
        #expect(records.map(\.kind) == ["limit.reached"])
        #expect(records.map(\.attempt) == [10])
    }

    @Test("A-01: the second, third and later early code requests have the kinds that D0 names")
    func graduated() async throws {
        let fixture = try await LimitsFixture()
        let number = "+4915112345678"
        for wait in [60, 300, 900, 1_800] {
            for _ in 0..<2 { try await fixture.consume(.phoneCodeRequest, number) }
            fixture.time.advance(by: .seconds(wait))
            await fixture.service.flush()
        }
        let records = try await fixture.audited()
        #expect(
            records.map(\.kind) == [
                "limit.reached", "limit.repeated", "limit.severe", "limit.severe",
            ])
        #expect(try await fixture.count("audit", where: "length(subject) = 16") == 4)
    }

    @Test("A-01: guessed codes and SMS pumping are logged when they begin, once")
    func alarming() async throws {
        let fixture = try await LimitsFixture()
        for _ in 0..<40 { try await fixture.consume(.phoneCodeGuess, "+4915112345678") }
        for last in 0..<50 {
            try await fixture.consume(.phoneCodeByBlock, "+4915112345\(100 + last)")
        }
        let warnings = fixture.log.lines.filter { $0.contains("limits.abuse.suspected") }
        #expect(warnings.count == 2)
        for line in fixture.log.lines { #expect(!line.contains("4915112345")) }
        fixture.time.advance(by: .seconds(3_600))
        let records = try await fixture.audited()
        #expect(Set(records.map(\.kind)) == ["limit.brute-force", "limit.pumping"])
        #expect(Set(records.map(\.attempt)) == [35, 20])
        for name in ["phone-code-guess", "phone-code-by-block"] {
            let named = "actor = 'limit/\(name)'"
            #expect(try await fixture.count("audit", where: named) > 0, "\(name)")
        }
    }

    @Test("A-01: a full disk loses no record")
    func diskFull() async throws {
        var tally = HitTally()
        let now = Timestamp(milliseconds: 1_000)
        let key = LimitKey(limit: LimitName.signUpByAddress.number, high: 1, low: 2)
        var verdict = LimitVerdict()
        verdict.retryAt = now + .seconds(10)
        for _ in 0..<3 { _ = tally.record(.signUpByAddress, key, verdict, at: now) }
        let later = now + .seconds(10)
        let (over, changed) = tally.take(at: later)
        #expect(over.map(\.refused) == [3] && changed.isEmpty)
        tally.giveBack(over, changed)
        verdict.retryAt = later + .seconds(10)
        let isFirst = tally.record(.signUpByAddress, key, verdict, at: later)
        #expect(isFirst)
        let again = tally.take(at: later)
        #expect(again.over.map(\.refused) == [3] && again.changed.map(\.refused) == [1])
        let last = tally.take(at: later + .seconds(10))
        #expect(last.over.map(\.refused) == [1])
    }

    @Test("A-01: a flood of subjects is counted together and does not fill the memory")
    func subjects() {
        var tally = HitTally()
        let now = Timestamp(milliseconds: 1_000)
        var verdict = LimitVerdict()
        verdict.retryAt = now + .seconds(10)
        var firsts = 0
        for number in 1...HitTally.hitsMax + 5_000 {
            let key = LimitKey(
                limit: LimitName.signUpByAddress.number, high: UInt64(number), low: 1)
            if tally.record(.signUpByAddress, key, verdict, at: now) { firsts += 1 }
        }
        #expect(tally.count == HitTally.hitsMax + 1)
        #expect(firsts == HitTally.hitsMax + 1)
        let (over, _) = tally.take(at: now + .seconds(10))
        let rest = over.filter(\.key.isEverybody)
        #expect(rest.map(\.refused) == [5_000])
        #expect(rest.first?.event.subject == nil)
    }
}
