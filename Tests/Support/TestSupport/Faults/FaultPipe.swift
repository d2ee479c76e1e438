import ServiceRuntime

/// One direction of one connection under a fault, as pure state: bytes and time go in, and a step
/// for the proxy's loop comes out. There is no socket or clock inside.
struct FaultPipe {
    /// What the loop must do next.
    enum Step: Equatable {
        /// Send the receiver this many of the front bytes, and report with `sent` how many it
        /// accepted.
        case send(Int)
        /// Do nothing until then; nil: until bytes arrive or the fault changes.
        case wait(until: Duration?)
        /// Signal end of stream to the receiver.
        case endReceiver
        /// Close both directions normally.
        case closeAll
        /// Close both directions with a reset.
        case resetAll
    }

    /// Above this many waiting bytes, the proxy stops reading from the sender, as a congested
    /// network would.
    static let waitingBytesMax = 256 * 1024

    private var fault: Fault
    /// Bytes that have passed since the fault began.
    private var passed = 0
    private var pieces: [(bytes: ArraySlice<UInt8>, due: Duration)] = []
    private var sentAt: Duration?
    private var hasSenderEnded = false
    /// The receiver has got the end of stream. Everything that arrives later is dropped.
    private(set) var isOver = false
    private(set) var waitingBytes = 0

    init(_ fault: Fault) {
        self.fault = fault
    }

    /// Whether the loop should read more from the sender.
    var isReading: Bool {
        !hasSenderEnded && (isOver || waitingBytes < Self.waitingBytesMax)
    }

    /// The bytes to send next.
    var front: ArraySlice<UInt8> { pieces.first?.bytes ?? [] }

    /// Starts another fault, which also applies to the waiting bytes.
    mutating func change(to fault: Fault, at uptime: Duration) {
        self.fault = fault
        passed = 0
        for index in pieces.indices { pieces[index].due = min(pieces[index].due, uptime) }
    }

    /// Adds bytes from the sender; `jitter` is a random number.
    mutating func take(_ bytes: ArraySlice<UInt8>, at uptime: Duration, jitter: UInt64) {
        guard !isOver, !bytes.isEmpty else { return }
        var due = uptime
        if case .latency(let fixed, let most) = fault {
            let part = most * Int(jitter % 1_000) / 1_000
            due = max(uptime + fixed + part, pieces.last?.due ?? .zero)  // in order, as in TCP
        }
        pieces.append((bytes, due))
        waitingBytes += bytes.count
    }

    /// The sender has closed its side.
    mutating func senderEnded() { hasSenderEnded = true }

    /// The receiver accepts no more bytes.
    mutating func receiverEnded() {
        isOver = true
        drop()
    }

    /// Returns what to do now.
    mutating func step(at uptime: Duration) -> Step {
        if isOver { return .wait(until: nil) }
        guard let piece = pieces.first else {
            guard hasSenderEnded else { return .wait(until: nil) }
            isOver = true
            return .endReceiver
        }
        guard piece.due <= uptime else { return .wait(until: piece.due) }
        return step(piece.bytes.count, at: uptime)
    }

    private mutating func step(_ available: Int, at uptime: Duration) -> Step {
        switch fault {
        case .none, .latency: return .send(available)
        case .trickle(let pause):
            if let sentAt, uptime - sentAt < pause { return .wait(until: sentAt + pause) }
            return .send(1)
        case .stall(let after): return before(after, available) ?? .wait(until: nil)
        case .duplicate(let after, let count):
            if let step = before(after, available) { return step }
            repeatFront(count)
            return .send(pieces.first?.bytes.count ?? 0)
        case .halfClose(let after):
            if let step = before(after, available) { return step }
            receiverEnded()
            return .endReceiver
        case .truncate(let after): return before(after, available) ?? .closeAll
        case .reset(let after): return before(after, available) ?? .resetAll
        }
    }

    /// How many bytes pass before the fault takes effect; nil: it takes effect now.
    private func before(_ after: Int, _ available: Int) -> Step? {
        passed < after ? .send(min(available, after - passed)) : nil
    }

    private mutating func repeatFront(_ count: Int) {
        fault = .none  // once
        guard let piece = pieces.first else { return }
        pieces.insert((piece.bytes.prefix(count), piece.due), at: 0)
        waitingBytes += min(count, piece.bytes.count)
    }

    /// The receiver accepted `count` of the front bytes.
    mutating func sent(_ count: Int, at uptime: Duration) {
        guard let piece = pieces.first, count > 0 else { return }
        passed += count
        waitingBytes -= count
        sentAt = uptime
        if count == piece.bytes.count {
            pieces.removeFirst()
        } else {
            pieces[0].bytes = piece.bytes.dropFirst(count)
        }
    }

    private mutating func drop() {
        pieces = []
        waitingBytes = 0
    }
}
