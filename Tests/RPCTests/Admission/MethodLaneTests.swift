import Testing

@testable import RPC

@Suite("Lanes of methods")
struct MethodLaneTests {
    private func method(
        _ name: String, timeout: Duration = .seconds(10), isCostly: Bool = false
    ) -> MethodDescription {
        MethodDescription(
            name: name, isIdempotent: false, timeout: timeout, isOnLoop: false,
            isCostly: isCostly)
    }

    @Test("a method's lane follows from its name, timeout and cost")
    func lanes() {
        let refresh = method("postern.session.v1.Sessions/RefreshSession")
        #expect(MethodLane(of: refresh) == .ordinary)
        let signIn = method("postern.gateway.v1.Accounts/SignIn", isCostly: true)
        #expect(MethodLane(of: signIn) == .costly)
        let ended = method("postern.session.v1.Sessions/WatchEnded", timeout: .seconds(3_600))
        #expect(MethodLane(of: ended) == .watching)
        #expect(MethodLane(of: method("postern.health.v1.Health/Check")) == .admin)
        #expect(MethodLane(of: method("postern.reflection.v1.Reflection/ListServices")) == .admin)
        #expect(MethodLane(of: method("postern.healthy.v1.Health/Check")) == .ordinary)
        // Watching health belongs to the watching lane: it must not use up the operator's capacity.
        let watch = method("postern.health.v1.Health/Watch", timeout: .seconds(3_600))
        #expect(MethodLane(of: watch) == .watching)
    }

    @Test("each lane has limits, and the watching lane has no queue")
    func bounds() {
        let limits = ServerLimits()
        for lane in MethodLane.allCases {
            #expect((1...100_000).contains(limits.runningMax(of: lane)))
            #expect((0...10_000).contains(limits.queueMax(of: lane)))
        }
        #expect(limits.queueMax(of: .watching) == 0)
    }

    @Test("a lower limit of all handlers also lowers the limit of costly ones")
    func lowered() {
        var limits = ServerLimits()
        limits.runningMax = 10
        #expect(limits.runningMax(of: .costly) == 10)
    }
}
