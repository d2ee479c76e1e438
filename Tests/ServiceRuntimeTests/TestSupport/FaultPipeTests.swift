import ServiceRuntime
import Testing

@testable import TestSupport

@Suite("Network faults in one direction, without a socket")
struct FaultPipeTests {
    /// The bytes that pass at `uptime`, and the step at which the pipe stops.
    private func pass(
        _ bytes: ArraySlice<UInt8>, _ pipe: inout FaultPipe, at uptime: Duration = .zero,
        isEnd: Bool = false
    ) -> (bytes: [UInt8], then: FaultPipe.Step) {
        pipe.take(bytes, at: uptime, jitter: 999)
        if isEnd { pipe.senderEnded() }
        var passed: [UInt8] = []
        while case .send(let count) = pipe.step(at: uptime) {
            passed += pipe.front.prefix(count)
            pipe.sent(count, at: uptime)
        }
        return (passed, pipe.step(at: uptime))
    }

    @Test("without a fault all bytes pass, then the end, once")
    func none() {
        var pipe = FaultPipe(.none)
        let first = pass([1, 2, 3], &pipe, isEnd: true)
        #expect(first.bytes == [1, 2, 3])
        #expect(pipe.isOver)
        #expect(pipe.step(at: .zero) == .wait(until: nil))
        var other = FaultPipe(.none)
        other.senderEnded()
        #expect(other.step(at: .zero) == .endReceiver)
    }

    @Test("latency delays each piece and preserves the order")
    func latency() {
        var pipe = FaultPipe(.latency(.milliseconds(40), jitter: .milliseconds(10)))
        pipe.take([1], at: .zero, jitter: 999)
        pipe.take([2], at: .milliseconds(1), jitter: 0)
        #expect(pipe.step(at: .zero) == .wait(until: .microseconds(49_990)))
        #expect(pass([], &pipe, at: .milliseconds(49)).bytes == [])
        #expect(pass([], &pipe, at: .milliseconds(50)).bytes == [1, 2])
    }

    @Test("a trickle passes one byte, and the next after its pause")
    func trickle() {
        var pipe = FaultPipe(.trickle(pause: .milliseconds(2)))
        let first = pass([1, 2], &pipe)
        #expect(first.bytes == [1])
        #expect(first.then == .wait(until: .milliseconds(2)))
        #expect(pass([], &pipe, at: .milliseconds(2)).bytes == [2])
    }

    @Test("a stall holds bytes until the network heals")
    func stall() {
        var pipe = FaultPipe(.stall(after: 2))
        let first = pass([1, 2, 3, 4], &pipe)
        #expect(first.bytes == [1, 2])
        #expect(first.then == .wait(until: nil))
        pipe.change(to: .none, at: .zero)
        #expect(pass([5], &pipe).bytes == [3, 4, 5])
    }

    @Test("a stalled sender is read up to a limit")
    func backPressure() {
        var pipe = FaultPipe(.stall(after: 0))
        #expect(pipe.isReading)
        let most = [UInt8](repeating: 1, count: FaultPipe.waitingBytesMax)
        pipe.take(most[...], at: .zero, jitter: 0)
        #expect(!pipe.isReading)
    }

    @Test("bytes are duplicated once")
    func duplicate() {
        var pipe = FaultPipe(.duplicate(after: 1, count: 2))
        #expect(pass([1, 2, 3, 4], &pipe).bytes == [1, 2, 3, 2, 3, 4])
        #expect(pass([5, 6], &pipe).bytes == [5, 6])
    }

    @Test(
        "a close in the middle comes after exactly the given number of bytes",
        arguments: [
            (Fault.halfClose(after: 3), FaultPipe.Step.endReceiver),
            (.truncate(after: 3), .closeAll), (.reset(after: 3), .resetAll),
        ])
    func ends(fault: Fault, step: FaultPipe.Step) {
        var pipe = FaultPipe(fault)
        pipe.take([1, 2], at: .zero, jitter: 0)
        pipe.take([3, 4, 5], at: .zero, jitter: 0)
        #expect(pipe.step(at: .zero) == .send(2))
        pipe.sent(2, at: .zero)
        #expect(pipe.step(at: .zero) == .send(1))
        pipe.sent(1, at: .zero)
        #expect(pipe.step(at: .zero) == step)
    }

    @Test("bytes after a half-close are read and dropped")
    func dropped() {
        var pipe = FaultPipe(.halfClose(after: 0))
        pipe.take([1], at: .zero, jitter: 0)
        #expect(pipe.step(at: .zero) == .endReceiver)
        pipe.take([2], at: .zero, jitter: 0)
        #expect(pipe.isReading && pipe.waitingBytes == 0)
        #expect(pipe.step(at: .zero) == .wait(until: nil))
    }
}
