import TestSupport
import Testing

@testable import RPC

/// A model of a client's calls on one connection. Each call has a number of its own.
private struct ClientModel {
    private struct Call {
        var deadline: Duration
        var isWatch = false
        var mayTake = false
        var maySend = false
        var untaken: UInt32 = 0
    }

    private static let window: UInt32 = 4

    private let idsMax: UInt64
    private let callsMax: Int
    private let randomness: SeededRandomness
    private var machine: ClientCallMachine<Int>
    /// Each sent call's own number, by id.
    private var sent: [UInt64: Int] = [:]
    private var calls: [Int: Call] = [:]
    /// Each call's stream credit by id, kept also after the call has ended.
    private var credits: [UInt64: StreamCredit] = [:]
    private var waiting: [Int] = []
    private var ended: [Int: Int] = [:]
    private var started = 0
    private var highest: UInt64 = 0
    private var isGreeted = false
    private var isLeaving = false
    private(set) var delivered = 0
    private(set) var waited = 0

    init(callsMax: Int, _ randomness: SeededRandomness) {
        self.callsMax = callsMax
        self.randomness = randomness
        idsMax = randomness.next() % 2 == 0 ? 30 : .max / 2
        machine = ClientCallMachine(streamCredit: Self.window, idsMax: idsMax)
    }

    mutating func step() throws {
        let draw = randomness.next()
        let near = max(2, highest + draw / 100 % 6) - 2
        let known = pick(draw) ?? near
        let uptime = Duration.milliseconds(Int64(draw / 700 % 400))
        switch draw % 100 {
        case 0..<4: greet()
        case 4..<34: try start(draw, uptime)
        case 34..<48: try end(draw % 4 == 0 ? near : known)
        case 48..<52: try overdue(uptime)
        case 52 where draw / 1_000 % 8 == 0: try leave(near)
        case 53 where draw / 1_000 % 8 == 0: try watches()
        case 54..<76: try item(draw % 8 == 0 ? near : known, draw)
        case 76..<82: try credit(draw % 8 == 0 ? near : known)
        case 82..<90: try send(draw % 8 == 0 ? near : known)
        case 90..<92: try sendEnd(known)
        default: try consume(known, draw)
        }
        try check()
    }

    mutating func close() throws {
        let (wereSent, unsent) = machine.close()
        for call in wereSent + unsent { try end(own: call) }
        try BrokenRule.unless(machine.isIdle, "something is left behind")
        for call in 0..<started {
            try BrokenRule.unless(ended[call] == 1, "call \(call) ended \(ended[call] ?? 0) times")
        }
    }

    private func pick(_ draw: UInt64) -> UInt64? {
        let sorted = sent.keys.sorted()
        return sorted.isEmpty ? nil : sorted[Int(draw / 10_000 % UInt64(sorted.count))]
    }

    private mutating func end(own call: Int) throws {
        ended[call, default: 0] += 1
        try BrokenRule.unless(ended[call] == 1, "call \(call) ended twice")
        calls[call] = nil
        waiting.removeAll { $0 == call }
        for (id, own) in sent where own == call { sent[id] = nil }
    }

    // MARK: Calls

    private mutating func greet() {
        machine.hello(callsMax: UInt32(callsMax), streamCredit: 3)
        isGreeted = true
    }

    private mutating func start(_ draw: UInt64, _ deadline: Duration) throws {
        let own = started
        started += 1
        calls[own] = Call(deadline: deadline)
        switch machine.admission {
        case .send(let id):
            try BrokenRule.unless(waiting.isEmpty, "one that came later is sent first")
            try begin(own, id, draw)
        case .wait:
            try BrokenRule.unless(sent.count == callsMax || !waiting.isEmpty, "it need not wait")
            machine.wait(own, deadline: deadline)
            waiting.append(own)
            waited += 1
        case .refuseFull:
            throw BrokenRule(description: "refused as full with \(waiting.count) waiting")
        case .refuseLost:
            try BrokenRule.unless(!isGreeted || isLeaving, "refused as lost")
            try end(own: own)
        }
    }

    private mutating func begin(_ own: Int, _ id: UInt64, _ draw: UInt64) throws {
        try BrokenRule.unless(id == highest + 1 && id <= idsMax, "id \(id) after \(highest)")
        highest = id
        let kinds: [MethodDescription.Streams] = [.none, .request, .response, .both]
        let streams = kinds[Int(draw / 1_000 % 4)]
        let isWatch = streams == .response && draw / 16_000 % 2 == 0
        let deadline = calls[own]?.deadline ?? .zero
        let (isLast, credit) = machine.began(
            own, deadline: deadline, streams: streams, isWatch: isWatch)
        credits[id] = credit
        try BrokenRule.unless(isLast == (id == idsMax), "the last id")
        sent[id] = own
        calls[own] = Call(
            deadline: deadline, isWatch: isWatch, mayTake: streams.hasResponseItems,
            maySend: streams.hasRequestItems)
        if isLast { try leave(.max) }
    }

    private mutating func end(_ id: UInt64) throws {
        let own = machine.ended(id)
        try BrokenRule.unless(own == sent[id], "the end of \(id)")
        if let own { try end(own: own) }
        try sendWaiting()
    }

    private mutating func sendWaiting() throws {
        while let (own, id) = machine.nextWaiting() {
            try BrokenRule.unless(waiting.first == own, "not in order")
            waiting.removeFirst()
            try begin(own, id, randomness.next())
        }
    }

    private mutating func overdue(_ uptime: Duration) throws {
        let due = calls.filter { $0.value.deadline <= uptime }.keys
        let (wereSent, unsent) = machine.overdue(at: uptime)
        try BrokenRule.unless(
            Set(wereSent.map(\.handle) + unsent) == Set(due), "overdue at \(uptime)")
        for (id, own) in wereSent {
            try BrokenRule.unless(sent[id] == own, "another's id")
            try end(own: own)
        }
        for own in unsent { try end(own: own) }
        try sendWaiting()
    }

    private mutating func leave(_ lastCall: UInt64) throws {
        let unprocessed = machine.leave(lastCall: lastCall)
        let later = sent.filter { $0.key > lastCall }.values
        try BrokenRule.unless(Set(unprocessed) == Set(later + waiting), "what was not processed")
        for own in unprocessed { try end(own: own) }
        isLeaving = true
    }

    private mutating func watches() throws {
        let followers = calls.filter { $0.value.isWatch }.keys
        let taken = machine.takeWatches()
        try BrokenRule.unless(Set(taken.map(\.handle)) == Set(followers), "followers")
        for (_, own) in taken { try end(own: own) }
        try sendWaiting()
    }

    // MARK: Streams

    private mutating func item(_ id: UInt64, _ draw: UInt64) throws {
        let isEnd = draw / 1_000 % 8 == 0
        let before = machine.flow(id)
        let instruction = machine.item(id, isItem: true, isEnd: isEnd)
        switch instruction {
        case .violation: try BrokenRule.unless(id == 0 || id > highest, "item \(id)")
        case .ignore:
            try BrokenRule.unless(id > 0 && id <= highest && sent[id] == nil, "item \(id)")
        case .refuse(let fault, let own):
            guard let own, let state = calls[own] else { throw BrokenRule(description: "no call") }
            try BrokenRule.unless(fault == (state.mayTake ? .overCredit : .afterEnd), "\(fault)")
            if state.mayTake { try BrokenRule.unless(before?.incomingCredit == 0, "\(fault)") }
            try end(own: own)
            try sendWaiting()
        case .deliver(let own):
            guard let own, sent[id] == own else { throw BrokenRule(description: "another's") }
            calls[own]?.untaken += 1
            if isEnd { calls[own]?.mayTake = false }
            delivered += 1
        }
    }

    private mutating func credit(_ id: UInt64) throws {
        let instruction = machine.credit(id, 2)
        let isUnknown = id == 0 || id > highest
        try BrokenRule.unless(instruction.isViolation == isUnknown, "a Credit for \(id)")
    }

    private mutating func send(_ id: UInt64) throws {
        let departure = credits[id]?.depart() ?? .over
        let maySend = sent[id].flatMap { calls[$0]?.maySend } ?? false
        try BrokenRule.unless((departure == .over) == !maySend, "an item of \(id)")
    }

    private mutating func sendEnd(_ id: UInt64) throws {
        let own = sent[id]
        let maySend = own.flatMap { calls[$0]?.maySend } ?? false
        try BrokenRule.unless(
            credits[id]?.endOutgoing() ?? false == maySend, "the end of \(id)'s items")
        if let own { calls[own]?.maySend = false }
    }

    private mutating func consume(_ id: UInt64, _ draw: UInt64) throws {
        guard let own = sent[id], let untaken = calls[own]?.untaken, untaken > 0 else {
            return try BrokenRule.unless(
                credits[id]?.consumed(0) ?? 0 == 0, "credit for nothing")
        }
        let count = UInt32(draw / 1_000 % UInt64(untaken)) + 1
        _ = credits[id]?.consumed(count)
        calls[own]?.untaken -= count
    }

    // MARK: Invariants

    private func check() throws {
        try BrokenRule.unless(machine.runningCount == sent.count, "the number that runs")
        try BrokenRule.unless(machine.runningCount <= callsMax, "more than calls_max")
        try BrokenRule.unless(machine.waitingCount == waiting.count, "the number that waits")
        try BrokenRule.unless(machine.highestCall == highest, "the highest id")
        for id in sent.keys {
            let credit = machine.flow(id)?.incomingCredit ?? .max
            try BrokenRule.unless(credit <= Self.window, "credit above the window")
        }
        guard let next = calls.values.map(\.deadline).min() else { return }
        try BrokenRule.unless(machine.nextDeadline.map { $0 <= next } ?? false, "a missed deadline")
    }
}

@Suite("A client's calls on a connection, compared with a model")
struct ClientCallMachineModelTests {
    @Test(
        "Protos/README.md, Call: random frames keep the rules for ids, credit, calls_max and ends",
        arguments: [1, 2, 5])
    func lives(callsMax: Int) {
        ModelRounds.run(callsMax: callsMax, atLeast: [1, 1]) { randomness in
            var model = ClientModel(callsMax: callsMax, randomness)
            for _ in 0..<ModelRounds.steps { try model.step() }
            try model.close()
            return [model.delivered, model.waited]
        }
    }
}
