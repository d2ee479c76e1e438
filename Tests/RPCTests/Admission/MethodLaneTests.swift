import Testing

@testable import RPC

@Suite("Lanes")
struct MethodLaneTests {
    private func method(
        _ name: String, timeout: Duration = .seconds(10), isCostly: Bool = false
    ) -> MethodDescription {
        MethodDescription(
            name: name, isIdempotent: false, timeout: timeout, isOnLoop: false,
            isCostly: isCostly)
    }

    @Test("each method has the lane of its kind")
    func lanes() {
        let refresh = method("postern.session.v1.Sessions/Refresh")
        #expect(MethodLane(of: refresh) == .ordinary)
        let signIn = method("postern.gateway.v1.Accounts/SignIn", isCostly: true)
        #expect(MethodLane(of: signIn) == .costly)
        let ended = method("postern.session.v1.Sessions/WatchEnded", timeout: .seconds(3_600))
        #expect(MethodLane(of: ended) == .watching)
        #expect(MethodLane(of: method("postern.health.v1.Health/Check")) == .admin)
        #expect(MethodLane(of: method("postern.reflection.v1.Reflection/List")) == .admin)
        #expect(MethodLane(of: method("postern.healthy.v1.Health/Check")) == .ordinary)
        // Watching health is watching: it must not use up the operator's places.
        let watch = method("postern.health.v1.Health/Watch", timeout: .seconds(3_600))
        #expect(MethodLane(of: watch) == .watching)
    }

    @Test("no lane is without a bound, and nobody waits for watchers to end")
    func bounds() {
        let limits = ServerLimits()
        for lane in MethodLane.allCases {
            #expect((1...100_000).contains(limits.runningMax(of: lane)))
            #expect((0...10_000).contains(limits.queueMax(of: lane)))
        }
        #expect(limits.queueMax(of: .watching) == 0)
    }

    @Test("whoever lowers the bound of all handlers has lowered that of the costly ones")
    func lowered() {
        var limits = ServerLimits()
        limits.runningMax = 10
        #expect(limits.runningMax(of: .costly) == 10)
    }
}
