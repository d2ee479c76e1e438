import Messages
import NIOCore
import NIOEmbedded
import ServiceRuntime
import Testing

@testable import RPC

@Suite("An idle caller that is removed from the list")
struct RemovedCallerTests {
    @Test("X-03: it gets GoAway UNAUTHENTICATED at once, without a call")
    func silent() throws {
        let fixture = QuietServerFixture()
        let (channel, shared) = try fixture.serverConnection()
        try fixture.greet(channel)
        fixture.pass(.seconds(25))
        _ = try fixture.received(from: channel)
        shared.callers.replace(.empty)
        channel.pipeline.fireUserInboundEventTriggered(ServerConnection.Event.callersChanged)
        #expect(try fixture.goAways(from: channel) == [.unauthenticated])
    }

    @Test("X-03: a call that arrives before the GoAway is rejected")
    func crossing() throws {
        let fixture = QuietServerFixture()
        let (channel, shared) = try fixture.serverConnection()
        try fixture.greet(channel)
        shared.callers.replace(.empty)
        try fixture.say(
            .request(.init(call: 1, method: EchoService.onLoop.name, payload: [])), to: channel)
        let received = try fixture.received(from: channel)
        guard case .response(let response) = received.first,
            case .goAway(let goAway) = received.last
        else {
            Issue.record("\(received)")
            return
        }
        #expect(response.notProcessed)
        #expect(response.error?.code == "rpc/unauthenticated")
        #expect(goAway.reason == .unauthenticated)
    }
}
