import Contracts
import Messages
import ServiceRuntime
import Testing

@Suite("S-02: why a session has ended is one number in the store and on the wire")
struct EndReasonTests {
    /// More numbers than the protos give out, so that a new one is found.
    private static let numbers = Int32(1)...64

    @Test("a reason has the number and the name that it has in the protos", arguments: numbers)
    func number(number: Int32) {
        let message = GatewayV1.EndReason(rawValue: number)
        guard let reason = EndReason(message) else {
            #expect(message == .unrecognized(number))
            return
        }
        #expect(reason.rawValue == Int64(number))
        #expect(reason.message == message)
        #expect("\(reason)" == "\(message)")
    }

    @Test("no reason is none")
    func none() {
        #expect(EndReason(.unspecified) == nil)
    }
}
