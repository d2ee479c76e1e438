import Storage

extension LimitStripes: JournalSource {
    /// What one frame of the log carries before the next begins.
    private static let frameBytes = 64 << 20

    var journalParts: Int { number }

    func takeChanges(into bytes: inout JournalBytes) -> Bool {
        for place in 0..<number {
            guard bytes.count < Self.frameBytes else { return true }
            locked(place) { stripe in
                for key in stripe.pointee.takeChanged() {
                    let state = stripe.pointee.state(of: key) ?? LimitState(.ring)
                    LimitRecord.append(state, of: key, to: &bytes)
                }
            }
        }
        return false
    }

    func copyPart(_ part: Int, into bytes: inout JournalBytes) {
        locked(part) { stripe in
            stripe.pointee.forEach { LimitRecord.append($1, of: $0, to: &bytes) }
        }
    }

    func restorePart(_ bytes: UnsafeRawBufferPointer) throws {
        // Most of a part are rings of a slot's size, and all belong to one stripe.
        if let first = LimitRecord(bytes) {
            locked(place(of: first.key)) { $0.pointee.reserve(bytes.count / Slot.bytes) }
        }
        try restoreChanges(bytes)
    }

    func restoreChanges(_ bytes: UnsafeRawBufferPointer) throws {
        var place = 0
        while place < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[place...])
            guard let record = LimitRecord(rest), let state = record.state else {
                throw JournalError.unknownContent
            }
            restore(state, of: record.key)
            place += record.length
        }
    }

    private func restore(_ state: LimitState, of key: LimitKey) {
        let isGone = !state.isEmpty && isOver(key, state, by: rules(key.limit), at: startedAt)
        // What is over may be there from an older record.
        let restored = isGone ? LimitState(state.kind) : state
        locked(place(of: key)) { $0.pointee.restore(restored, of: key) }
    }
}
