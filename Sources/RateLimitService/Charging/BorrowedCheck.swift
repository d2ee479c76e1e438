import Contracts
import Messages

/// The usual `CheckRequest`: one charge, without a device, to a limit that is decided alone. It is
/// read in place and valid only as long as its frame. An array of charges and copies of their texts
/// would cost more than the decision.
struct BorrowedCheck {
    let limit: LimitName
    let subject: UnsafeRawBufferPointer
    /// The language of the sentence in a limited response.
    let language: UnsafeRawBufferPointer

    /// Nil for any other request, valid or not. Such a request is decoded as a message and
    /// validated there.
    init?(_ request: UnsafeRawBufferPointer) {
        do throws(NonCanonicalEncoding) {
            var reader = CanonicalReader(request)
            var charge = CanonicalReader(try reader.lent(Self.charge))
            let name = try charge.lent(Self.limit)
            subject = try charge.borrowedText(Self.subject)
            language = try reader.borrowedText(Self.language)
            // The text of a known name is valid UTF-8.
            guard charge.isAtEnd, reader.isAtEnd, AskedCharge.mayBeSubject(subject.count),
                let limit = LimitName.called(name), !limit.isInternal, limit.isDecidedAlone
            else { return nil }
            self.limit = limit
        } catch {
            return nil
        }
    }

    // Tags of `CheckRequest`, then of its `Charge`.
    private static let charge: UInt32 = 10
    private static let language: UInt32 = 18
    private static let limit: UInt32 = 10
    private static let subject: UInt32 = 18
}
