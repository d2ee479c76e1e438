import Storage

extension LimitStripes: JournalSource {
    /// What one frame of the log carries before the next begins.
    private static let frameBytes = 64 << 20

    var journalParts: Int { number }

    func takeChanges(into bytes: inout JournalBytes) -> Bool {
        for place in 0..<number {
            guard bytes.count < Self.frameBytes else { return true }
            let stripe = self[place]
            stripe.pointee.lock()
            defer { stripe.pointee.unlock() }
            for key in stripe.pointee.takeChanged() {
                let state = stripe.pointee.state(of: key) ?? LimitState(.ring)
                LimitRecord.append(state, of: key, to: &bytes)
            }
        }
        return false
    }

    func copyPart(_ part: Int, into bytes: inout JournalBytes) {
        let stripe = self[part]
        stripe.pointee.lock()
        defer { stripe.pointee.unlock() }
        stripe.pointee.forEach { LimitRecord.append($1, of: $0, to: &bytes) }
    }

    func restorePart(_ bytes: UnsafeRawBufferPointer) throws {
        // Most of a part are rings of a slot's size, and all belong to one stripe.
        if let first = LimitRecord(bytes) {
            self[first.key].pointee.reserve(bytes.count / Slot.bytes)
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
        let stripe = self[key]
        stripe.pointee.lock()
        defer { stripe.pointee.unlock() }
        if !state.isEmpty, isOver(key.limit, state, at: startedAt) {
            // It may be there from an older record.
            stripe.pointee.restore(LimitState(state.kind), of: key)
        } else {
            stripe.pointee.restore(state, of: key)
        }
    }
}
