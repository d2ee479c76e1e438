import TestSupport
import Testing

@testable import RPC

/// What the rules say of the calls on one connection, kept as plainly as can be.
private struct CallModel {
    private enum State: Equatable {
        case running
        case answered
    }

    let callsMax: Int
    private var machine: ServerCallMachine<UInt64>
    private var calls: [UInt64: State] = [:]
    private var deadlines: [UInt64: Duration] = [:]
    private var responses: [UInt64: Int] = [:]
    private var seen: [UInt64] = []
    private var isGreeted = false
    private var isDraining = false
    private var isClosed = false
    private(set) var begun = 0

    init(callsMax: Int) {
        self.callsMax = callsMax
        machine = ServerCallMachine(callsMax: callsMax)
    }

    mutating func step(_ randomness: SeededRandomness) {
        let draw = randomness.next()
        let near = max(2, (seen.last ?? 0) + draw / 100 % 6) - 2
        let uptime = Duration.milliseconds(Int64(draw / 700 % 400))
        switch draw % 100 {
        case 0..<8: hello()
        case 8..<48: request(draw % 3 == 0 ? near : (seen.last ?? 0) + 1, uptime)
        case 48..<74: finish(pick(draw) ?? near)
        case 74..<88: cancel(draw % 2 == 0 ? pick(draw) ?? near : near)
        case 88..<96: overdue(uptime)
        case 96: drain()
        case 97 where draw / 1_000 % 4 == 0: close()
        default: stream(near)
        }
        check()
    }

    /// Lets everything end that still runs.
    mutating func end() {
        close()
        for call in calls.keys.sorted() { finish(call) }
        check()
        #expect(machine.runningCount == 0)
        #expect(machine.nextDeadline == nil)
        for call in seen where !isClosed { #expect(responses[call] == 1) }
    }

    private func pick(_ draw: UInt64) -> UInt64? {
        let sorted = calls.keys.sorted()
        return sorted.isEmpty ? nil : sorted[Int(draw / 10_000 % UInt64(sorted.count))]
    }

    private mutating func hello() {
        let isFirst = !isGreeted && !isDraining && !isClosed
        #expect(machine.hello() == (isFirst ? .proceed : .violation))
        if isFirst { isGreeted = true }
    }

    private mutating func request(_ call: UInt64, _ deadline: Duration) {
        let instruction = machine.request(call)
        let isSound = (isGreeted || isDraining || isClosed) && call > (seen.last ?? 0)
        guard isSound else { return #expect(instruction == .violation) }
        guard !isClosed else { return #expect(instruction == .ignore) }
        seen.append(call)
        if isDraining {
            #expect(instruction == .refuseDraining)
            answered(call)
        } else if calls.count >= callsMax {
            #expect(instruction == .refuseBusy)
            answered(call)
        } else {
            #expect(instruction == .proceed)
            machine.began(call, deadline: deadline)
            machine.attach(call, to: call)
            (calls[call], deadlines[call]) = (.running, deadline)
            begun += 1
        }
    }

    private mutating func finish(_ call: UInt64) {
        let isWanted = calls[call] == .running && !isClosed
        #expect(machine.finished(call) == isWanted)
        calls[call] = nil
        if isWanted { answered(call) }
    }

    private mutating func cancel(_ call: UInt64) {
        let (instruction, handle) = machine.cancel(call)
        let isKnown =
            (isGreeted || isDraining || isClosed) && call > 0 && call <= (seen.last ?? 0)
        guard isKnown else { return #expect(instruction == .violation) }
        guard calls[call] == .running else { return #expect(instruction == .ignore) }
        #expect(instruction == .proceed)
        #expect(handle == call)
        calls[call] = .answered
        answered(call)
    }

    private mutating func overdue(_ uptime: Duration) {
        let due = calls.filter { $0.value == .running && (deadlines[$0.key] ?? .zero) <= uptime }
        let told = machine.overdue(at: uptime)
        #expect(Set(told.map(\.call)) == Set(due.keys))
        #expect(told.allSatisfy { $0.handle == $0.call })
        for call in due.keys {
            calls[call] = .answered
            answered(call)
        }
    }

    private mutating func drain() {
        #expect(machine.drain() == seen.last ?? 0)
        isDraining = isDraining || !isClosed
    }

    private mutating func close() {
        let running = calls.filter { $0.value == .running }.keys
        #expect(Set(machine.close()) == Set(running))
        for call in running { calls[call] = .answered }
        isClosed = true
    }

    private func stream(_ call: UInt64) {
        let isKnown =
            (isGreeted || isDraining || isClosed) && call > 0 && call <= (seen.last ?? 0)
        #expect(machine.streamFrame(call) == (isKnown ? .ignore : .violation))
    }

    private mutating func answered(_ call: UInt64) {
        responses[call, default: 0] += 1
        #expect(responses[call] == 1, "call \(call) was answered twice")
    }

    private func check() {
        #expect(machine.runningCount == calls.count)
        #expect(machine.highestCall == seen.last ?? 0)
        #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 < $1 })
        let next = calls.filter { $0.value == .running }.compactMap { deadlines[$0.key] }.min()
        #expect(machine.nextDeadline == next)
    }
}

@Suite("The life of calls on a connection, against a model")
struct ServerCallMachineModelTests {
    @Test(
        "wire.md, Call: 150 random lives keep the rules: one Response each, none left behind",
        arguments: [1, 2, 5])
    func lives(callsMax: Int) {
        let randomness = SeededRandomness(seed: UInt64(callsMax))
        var begun = 0
        for _ in 0..<50 {
            var model = CallModel(callsMax: callsMax)
            for _ in 0..<120 { model.step(randomness) }
            model.end()
            begun += model.begun
        }
        #expect(begun > 200)
    }
}
