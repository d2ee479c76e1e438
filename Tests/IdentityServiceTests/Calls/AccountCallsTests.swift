import Contracts
import Messages
import RPC
import TestSupport
import Testing

@testable import IdentityService
@testable import PersonalData

@Suite("The frame of a call that the gateway passes on")
struct AccountCallsTests {
    @Test("the check of a token ends in 10 s, however long its stream may last")
    func deadline() async throws {
        let fixture = try await DocumentFixture()
        let now = fixture.identity.time.uptime()
        for (seconds, expected) in [(3_600, 10), (3, 3)] {
            let context = CallContext(
                application: CallContext.gateway, deadline: now + .seconds(seconds),
                metadata: fixture.context().metadata)
            _ = try await fixture.handler.calls.call(
                DocumentsDescription.watchDocuments, nil, context)
            #expect(fixture.identity.sessions.checkDeadline == now + .seconds(expected))
        }
    }
}
