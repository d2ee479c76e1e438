import Messages

/// A `CheckRequest` as nearly all are: one charge, without a device, to a limit that is decided
/// alone. It is read in place, as it lies in its frame, and good as long as that: an array of
/// charges and their texts would cost more than deciding.
struct BorrowedCheck {
    let limit: LimitName
    let subject: UnsafeRawBufferPointer
    /// Of the sentence, where there will be one.
    let language: UnsafeRawBufferPointer

    /// Nil for every other request, good or bad: it is read as a message, and judged there.
    init?(_ request: UnsafeRawBufferPointer) {
        do throws(NonCanonicalEncoding) {
            var reader = CanonicalReader(request)
            var charge = CanonicalReader(try reader.lent(Self.charge))
            let name = try charge.lent(Self.limit)
            subject = try charge.borrowedText(Self.subject)
            language = try reader.borrowedText(Self.language)
            // Names of ours are sound text.
            guard charge.isAtEnd, reader.isAtEnd, AskedCharge.mayBeSubject(subject.count),
                let limit = LimitName.called(name), !limit.isInternal, limit.isDecidedAlone
            else { return nil }
            self.limit = limit
        } catch {
            return nil
        }
    }

    // Tags of `CheckRequest` and, below, of its `Charge`.
    private static let charge: UInt32 = 10
    private static let language: UInt32 = 18
    private static let limit: UInt32 = 10
    private static let subject: UInt32 = 18
}
