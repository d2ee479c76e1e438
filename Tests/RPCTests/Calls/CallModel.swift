@testable import RPC

/// The protocol's rules for the calls on one connection, written as simply as possible and compared
/// with `ServerCallMachine`. Numbers drive it: from a seed in the tests, from the input bytes in
/// the fuzzer.
struct CallModel {
    private struct Call {
        var isAnswered = false
        var isAttached: Bool
        var deadline: Duration
        var isFollower: Bool
        var mayTake: Bool
        var maySend: Bool
        /// Items that the peer may still send, items received but not consumed, and items consumed
        /// but not granted again.
        var incomingCredit: UInt32
        var untaken: UInt32 = 0
        var owed: UInt32 = 0
        var outgoingCredit: UInt64
    }

    private static let window: UInt32 = 4
    private static let peerWindow: UInt32 = 3

    let callsMax: Int
    private var machine: ServerCallMachine<UInt64>
    private var calls: [UInt64: Call] = [:]
    /// Each call's stream credit, kept also after the call has ended.
    private var credits: [UInt64: StreamCredit] = [:]
    private var responses: [UInt64: Int] = [:]
    private var highest: UInt64 = 0
    private var isGreeted = false
    private var isDraining = false
    private var isClosed = false
    private(set) var begun = 0
    private(set) var delivered = 0

    init(callsMax: Int) {
        self.callsMax = callsMax
        machine = ServerCallMachine(callsMax: callsMax, streamCredit: Self.window)
    }

    private var isSpeaking: Bool { isGreeted || isDraining || isClosed }

    private func isKnown(_ call: UInt64) -> Bool { isSpeaking && call > 0 && call <= highest }

    /// Applies one event chosen by `draw`, then checks the invariants.
    mutating func step(_ draw: UInt64) throws {
        let near = max(2, highest + draw / 100 % 6) - 2
        let known = pick(draw) ?? near
        let uptime = Duration.milliseconds(Int64(draw / 700 % 400))
        switch draw % 100 {
        case 0..<3: try hello()
        case 3..<25: try request(draw % 3 == 0 ? near : highest + 1, draw, uptime)
        case 25..<33: try finish(known)
        case 33..<38: try cancel(draw % 2 == 0 ? known : near)
        case 38..<42: try overdue(uptime)
        case 42 where draw / 1_000 % 4 == 0: try drain()
        case 43 where draw / 1_000 % 16 == 0: try close()
        case 44..<64: try item(draw % 5 == 0 ? near : known, draw)
        case 64..<76: try credit(draw % 5 == 0 ? near : known, UInt32(draw / 1_000 % 3))
        case 76..<88: try send(draw % 7 == 0 ? near : known)
        case 88..<90: try sendEnd(known)
        default: try consume(known, draw)
        }
        try check()
    }

    /// Ends all calls that still run, and checks that nothing is left.
    mutating func end() throws {
        let wasClosed = isClosed
        for call in calls.keys.sorted() { try finish(call) }
        try check()
        try BrokenRule.unless(machine.runningCount == 0, "a call is left behind")
        try BrokenRule.unless(machine.nextDeadline == nil, "a deadline is left behind")
        guard !wasClosed, highest > 0 else { return }
        try BrokenRule.unless(responses.values.allSatisfy { $0 == 1 }, "a call without a Response")
    }

    private func pick(_ draw: UInt64) -> UInt64? {
        let sorted = calls.keys.sorted()
        return sorted.isEmpty ? nil : sorted[Int(draw / 10_000 % UInt64(sorted.count))]
    }

    private mutating func answered(_ call: UInt64) throws {
        responses[call, default: 0] += 1
        try BrokenRule.unless(responses[call] == 1, "call \(call) was answered twice")
    }

    // MARK: Calls

    private mutating func hello() throws {
        let isFirst = !isSpeaking
        let instruction = machine.hello(streamCredit: Self.peerWindow)
        try BrokenRule.unless(instruction == (isFirst ? .proceed : .violation), "hello")
        if isFirst { isGreeted = true }
    }

    private mutating func request(
        _ call: UInt64, _ draw: UInt64, _ deadline: Duration
    ) throws {
        let instruction = machine.request(call)
        guard isSpeaking, call > highest else {
            return try BrokenRule.unless(instruction == .violation, "a Request out of order")
        }
        if isClosed { return try BrokenRule.unless(instruction == .ignore, "after the close") }
        highest = call
        if isDraining {
            try BrokenRule.unless(instruction == .refuseDraining, "while draining")
            return try answered(call)
        }
        if calls.count >= callsMax {
            try BrokenRule.unless(instruction == .refuseBusy, "above calls_max")
            return try answered(call)
        }
        try BrokenRule.unless(instruction == .proceed, "a sound Request")
        begin(call, draw, deadline)
    }

    private mutating func begin(_ call: UInt64, _ draw: UInt64, _ deadline: Duration) {
        let kinds: [MethodDescription.Streams] = [.none, .request, .response, .both]
        let streams = kinds[Int(draw / 1_000 % 4)]
        let more = draw / 4_000 % 4 > 0
        let isFollower = streams == .response && draw / 16_000 % 2 == 0
        if streams == .none {
            machine.began(call, deadline: deadline)
        } else {
            credits[call] = machine.began(
                call, deadline: deadline, streams: streams, more: more,
                isFollower: isFollower)
        }
        // A unary handler may end before the connection holds its task. Other calls may arrive
        // before a queued call has a task at all.
        let isAttached = streams != .none || draw / 16_000 % 4 > 0
        if isAttached { machine.attach(call, to: call) }
        calls[call] = Call(
            isAttached: isAttached, deadline: deadline, isFollower: isFollower,
            mayTake: streams.hasRequestItems && more,
            maySend: streams.hasResponseItems,
            incomingCredit: streams.hasRequestItems && more ? Self.window : 0,
            outgoingCredit: streams.hasResponseItems ? UInt64(Self.peerWindow) : 0)
        begun += 1
    }

    private mutating func finish(_ call: UInt64) throws {
        let isWanted = calls[call].map { !$0.isAnswered && !isClosed } ?? false
        try BrokenRule.unless(machine.finished(call) == isWanted, "finished \(call)")
        calls[call] = nil
        if isWanted { try answered(call) }
    }

    private mutating func cancel(_ call: UInt64) throws {
        let (instruction, handle) = machine.cancel(call)
        guard isKnown(call) else {
            return try BrokenRule.unless(instruction == .violation, "a Cancel out of order")
        }
        guard let state = calls[call], !state.isAnswered else {
            return try BrokenRule.unless(instruction == .ignore, "a late Cancel")
        }
        try BrokenRule.unless(
            instruction == .proceed && handle == (state.isAttached ? call : nil), "a Cancel")
        calls[call]?.isAnswered = true
        try answered(call)
    }

    private mutating func overdue(_ uptime: Duration) throws {
        let due = calls.filter { !$0.value.isAnswered && $0.value.deadline <= uptime }
        let notified = machine.overdue(at: uptime)
        try BrokenRule.unless(Set(notified.map(\.call)) == Set(due.keys), "overdue at \(uptime)")
        try BrokenRule.unless(
            notified.allSatisfy { $0.handle == (due[$0.call]?.isAttached == true ? $0.call : nil) },
            "another's handle")
        for call in due.keys {
            calls[call]?.isAnswered = true
            try answered(call)
        }
    }

    private mutating func drain() throws {
        let (last, ended) = machine.drain()
        try BrokenRule.unless(last == highest, "the last call")
        let followers = calls.filter { $0.value.isFollower && !$0.value.isAnswered }.keys
        try BrokenRule.unless(Set(ended.map(\.call)) == Set(followers), "followers")
        for call in followers {
            calls[call]?.isAnswered = true
            if !isClosed { try answered(call) }
        }
        isDraining = isDraining || !isClosed
    }

    private mutating func close() throws {
        let running = calls.filter { !$0.value.isAnswered }
        let notified = running.filter(\.value.isAttached).keys
        try BrokenRule.unless(Set(machine.close()) == Set(notified), "the close")
        for call in running.keys { calls[call]?.isAnswered = true }
        isClosed = true
    }

    // MARK: Streams

    private mutating func item(_ call: UInt64, _ draw: UInt64) throws {
        let isEnd = draw / 1_000 % 8 == 0
        let isItem = !isEnd || draw / 8_000 % 2 == 0
        let instruction = machine.item(call, isItem: isItem, isEnd: isEnd).kind
        func expect(_ kind: String) throws {
            try BrokenRule.unless(
                instruction == kind, "an Item of \(call): \(instruction), not \(kind)")
        }
        guard isKnown(call) else { return try expect("violation") }
        guard var state = calls[call], !state.isAnswered else { return try expect("ignore") }
        guard state.mayTake, !isItem || state.incomingCredit > 0 else {
            try expect(state.mayTake ? "overCredit" : "afterEnd")
            calls[call]?.isAnswered = true
            return try answered(call)
        }
        try expect("deliver")
        if isItem {
            state.incomingCredit -= 1
            state.untaken += 1
            delivered += 1
        }
        if isEnd { state.mayTake = false }
        calls[call] = state
    }

    private mutating func credit(_ call: UInt64, _ items: UInt32) throws {
        let instruction = machine.credit(call, items).kind
        guard isKnown(call) else {
            return try BrokenRule.unless(instruction == "violation", "a Credit out of order")
        }
        guard let state = calls[call], !state.isAnswered, state.maySend else {
            return try BrokenRule.unless(instruction == "ignore", "a Credit for nothing")
        }
        try BrokenRule.unless(instruction == "deliver", "a Credit")
        calls[call]?.outgoingCredit += UInt64(items)
    }

    private mutating func send(_ call: UInt64) throws {
        let departure = credits[call]?.depart() ?? .over
        guard let state = calls[call], !state.isAnswered, state.maySend else {
            return try BrokenRule.unless(departure == .over, "an item after the end")
        }
        let isCovered = state.outgoingCredit > 0
        try BrokenRule.unless(departure == (isCovered ? .sent : .noCredit), "an item's credit")
        if isCovered { calls[call]?.outgoingCredit -= 1 }
    }

    private mutating func sendEnd(_ call: UInt64) throws {
        let isNotified = calls[call].map { !$0.isAnswered && $0.maySend } ?? false
        try BrokenRule.unless((credits[call]?.endOutgoing() ?? false) == isNotified, "our end")
        if isNotified { calls[call]?.maySend = false }
    }

    private mutating func consume(_ call: UInt64, _ draw: UInt64) throws {
        let untaken = calls[call]?.untaken ?? 0
        let count = untaken == 0 ? 0 : UInt32(draw / 1_000 % UInt64(untaken)) + 1
        let granted = credits[call]?.consumed(count) ?? 0
        guard var state = calls[call], !state.isAnswered, state.mayTake else {
            return try BrokenRule.unless(granted == 0, "credit for nothing")
        }
        state.untaken -= count
        state.owed += count
        let isDue = state.owed >= Self.window / 2
        try BrokenRule.unless(granted == (isDue ? state.owed : 0), "what is granted again")
        state.owed -= granted
        state.incomingCredit += granted
        calls[call] = state
    }

    // MARK: Invariants

    private func check() throws {
        try BrokenRule.unless(machine.runningCount == calls.count, "the number that runs")
        try BrokenRule.unless(machine.runningCount <= callsMax, "more than calls_max")
        try BrokenRule.unless(machine.highestCall == highest, "the highest id")
        let running = calls.filter { !$0.value.isAnswered }
        for (call, state) in running {
            guard let flow = machine.flow(call) else {
                throw BrokenRule(description: "call \(call) has no credit")
            }
            try BrokenRule.unless(flow.incomingCredit == state.incomingCredit, "incoming credit")
            try BrokenRule.unless(flow.incomingCredit <= Self.window, "credit above the window")
            try BrokenRule.unless(
                UInt64(flow.outgoingCredit) == state.outgoingCredit, "outgoing credit")
        }
        guard let next = running.values.map(\.deadline).min() else { return }
        try BrokenRule.unless(machine.nextDeadline.map { $0 <= next } ?? false, "a missed deadline")
    }
}
