import ServiceRuntime
import Testing

@testable import RPC

@Suite("X-06: whether a connection whose calls time out is silent")
struct ConnectionSilenceTests {
    private typealias Silence = ConnectionSilence<Int>

    private let start = Duration.seconds(1_000)
    private var graceEnd: Duration { start + Silence.grace }

    /// A connection on which a frame came before its calls began, and those calls, whose deadline
    /// has passed at `start`.
    private func doubtful(_ calls: Int = 1) -> Silence {
        var silence = Silence()
        silence.received()
        for call in 0..<calls {
            #expect(silence.deadlinePassed(of: call, since: 1, at: start) == .doubtful)
        }
        return silence
    }

    @Test("a frame since the call began shows that the server works, whatever the deadline")
    func heard() {
        var silence = Silence()
        silence.received()
        #expect(silence.deadlinePassed(of: 1, since: 0, at: start) == .working)
        #expect(silence.due == nil)
        #expect(silence.look(at: start + .seconds(60)) == nil)
    }

    @Test("without a frame since the call began, the server has the grace to answer the Cancel")
    func grace() throws {
        var silence = doubtful(3)
        #expect(silence.due == graceEnd)
        #expect(silence.look(at: graceEnd - .nanoseconds(1)) == nil)
        let looked = silence.look(at: graceEnd)
        let decision = try #require(looked)
        #expect(decision.calls == [0, 1, 2] && decision.isSilent)
        #expect(silence.due == nil)
        #expect(silence.look(at: graceEnd) == nil, "each call is decided once")
    }

    @Test("one frame within the grace clears all calls: 150 that a busy server answers too late")
    func late() throws {
        var silence = doubtful(150)
        silence.received()
        let looked = silence.look(at: graceEnd)
        let decision = try #require(looked)
        #expect(decision.calls.count == 150 && !decision.isSilent)
    }

    @Test("later deadlines join the doubt and do not prolong it")
    func joined() {
        var silence = doubtful()
        let later = graceEnd - .milliseconds(1)
        #expect(silence.deadlinePassed(of: 7, since: 1, at: later) == .doubtful)
        #expect(silence.due == graceEnd)
        let decision = silence.look(at: graceEnd)
        #expect(decision?.calls == [0, 7])
    }

    @Test("once silent, each deadline counts at once, until a frame comes")
    func silent() {
        var silence = doubtful()
        _ = silence.look(at: graceEnd)
        #expect(silence.deadlinePassed(of: 1, since: 1, at: graceEnd) == .silent)
        silence.received()
        #expect(silence.deadlinePassed(of: 2, since: 1, at: graceEnd) == .working)
        #expect(silence.deadlinePassed(of: 3, since: 2, at: graceEnd) == .doubtful)
    }

    @Test("the end of the connection decides at once", arguments: [false, true])
    func closed(isHeard: Bool) throws {
        var silence = doubtful(2)
        if isHeard { silence.received() }
        let closed = silence.close()
        let decision = try #require(closed)
        #expect(decision.calls == [0, 1] && decision.isSilent == !isHeard)
        #expect(silence.close() == nil)
    }
}
