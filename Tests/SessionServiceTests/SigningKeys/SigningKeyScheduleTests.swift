import ServiceRuntime
import Testing

@testable import SessionService

@Suite("S-01: signing keys follow a schedule")
struct SigningKeyScheduleTests {
    private static let start = Timestamp(milliseconds: 1_000_000_000)
    private static let keyLife: Duration = .seconds(86_400)
    private static let announcedFor = SigningKeySchedule.announcedFor
    private let schedule = SigningKeySchedule(life: keyLife, verifiesFor: .seconds(691))

    private func key(
        _ id: Int64, _ state: StoredSigningKey.State, hasPrivateNumber: Bool,
        madeAt: Timestamp = start,
        activeAt: Timestamp? = nil, passiveAt: Timestamp? = nil
    ) -> StoredSigningKey {
        StoredSigningKey(
            id: id, state: state, x: [], y: [], privateNumber: hasPrivateNumber ? [1] : nil,
            madeAt: madeAt, activeAt: activeAt, passiveAt: passiveAt)
    }

    private func active(_ since: Timestamp = start) -> StoredSigningKey {
        key(1, .active, hasPrivateNumber: true, activeAt: since)
    }

    private func announced(_ madeAt: Timestamp) -> StoredSigningKey {
        key(2, .passive, hasPrivateNumber: true, madeAt: madeAt)
    }

    @Test("without an active key one is activated at once, the announced one if it exists")
    func none() {
        #expect(schedule.step([], at: Self.start) == .start)
        #expect(schedule.step([announced(Self.start)], at: Self.start) == .activate(2))
        let passive = key(3, .passive, hasPrivateNumber: false, passiveAt: Self.start)
        #expect(schedule.step([passive], at: Self.start) == .start)
    }

    @Test("a successor is announced before the end of a key's life and signs from its end")
    func successor() {
        let end = Self.start + Self.keyLife
        let announcement = end - Self.announcedFor
        #expect(schedule.step([active()], at: announcement - .milliseconds(1)) == nil)
        #expect(schedule.step([active()], at: announcement) == .announce)
        let both = [active(), announced(announcement)]
        #expect(schedule.step(both, at: announcement) == nil)
        #expect(schedule.step(both, at: end - .milliseconds(1)) == nil)
        #expect(schedule.step(both, at: end) == .activate(2))
    }

    @Test("no key signs before it has been published long enough, however late that is")
    func announcement() {
        let late = Self.start + Self.keyLife + .seconds(500_000)
        #expect(schedule.step([active()], at: late) == .announce)
        let both = [active(), announced(late)]
        #expect(schedule.step(both, at: late + Self.announcedFor - .milliseconds(1)) == nil)
        #expect(schedule.step(both, at: late + Self.announcedFor) == .activate(2))
    }

    @Test("a passive key verifies until its last token has expired, including the leeway")
    func retirement() {
        let passive = key(3, .passive, hasPrivateNumber: false, passiveAt: Self.start)
        let keys = [passive, active()]
        #expect(schedule.step(keys, at: Self.start + .milliseconds(690_999)) == nil)
        #expect(schedule.step(keys, at: Self.start + .seconds(691)) == .retire(3))
    }
}
