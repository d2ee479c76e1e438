import Messages
import TestSupport
import Testing

@testable import RPC

@Suite("Envelope: the hand-written reader agrees with libprotobuf-c")
struct EnvelopeAgreementTests {
    private static let samples = SampleFrames.all.map { WireV1.Frame(kind: $0).encoded() }

    @Test("both readers read valid frames of every kind alike")
    func sound() {
        for (kind, bytes) in zip(SampleFrames.all, Self.samples) {
            #expect(Reading(byLibrary: bytes) == .frame(kind))
            #expect(Reading(byHand: bytes) == .frame(kind))
        }
    }

    @Test("Protos/README.md, Frame: both readers agree on 100,000 mutated frames, values included")
    func mutated() {
        var mutator = FrameMutator(seed: 0x1EAF)
        var (accepted, oddBools) = (0, 0)
        for round in 0..<100_000 {
            let bytes = mutator.mutated(
                Self.samples[round % Self.samples.count],
                with: Self.samples[mutator.below(Self.samples.count)])
            guard !bytes.isEmpty else { continue }
            let (library, hand) = (Reading(byLibrary: bytes), Reading(byHand: bytes))
            if case .frame = library { accepted += 1 }
            if Reading.isOddBool(bytes, library: library, hand: hand) {
                oddBools += 1
                continue
            }
            guard library.agrees(with: hand) else {
                Issue.record("round \(round): \(bytes): \(library) by library, \(hand) by hand")
                return
            }
        }
        // A run in which all or none were rejected would have tested nothing.
        #expect((10_000...90_000).contains(accepted))
        #expect(oddBools < 500)
    }

    @Test("both readers agree on every truncation of every frame")
    func truncated() {
        for bytes in Self.samples {
            for count in 1..<max(1, bytes.count) {
                let cut = Array(bytes[..<count])
                #expect(Reading(byLibrary: cut).agrees(with: Reading(byHand: cut)))
            }
        }
    }

    /// Requests with an edge case of the wire format before or after `call: 1`.
    @Test(
        "both readers agree on edge cases of the wire format",
        arguments: [
            [0x80, 0x00, 0x01],  // field 0, in two bytes
            [0x00, 0x01],  // field 0, in one
            [0x88, 0x80, 0x80, 0x80, 0x00, 0x05],  // a tag in five bytes
            [0x88, 0x80, 0x80, 0x80, 0x80, 0x00, 0x05],  // in six
            [0xff, 0xff, 0xff, 0xff, 0x78, 0x05],  // a field number of 32 bits
            [0x32, 0x81, 0x80, 0x80, 0x80, 0x00, 0x07],  // a length in five bytes
            [0x32, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00, 0x07],  // in six
            [0x18] + [UInt8](repeating: 0xff, count: 9) + [0x01],  // a timeout of 64 bits
            [0x28] + [UInt8](repeating: 0x80, count: 9) + [0x01],  // a bool's last bit
            [0x0b], [0x0c], [0x0e, 1], [0x0f, 1],  // groups, and wire types that do not exist
            [0x0d, 1, 2, 3, 4], [0x09, 1, 2, 3, 4, 5, 6, 7, 8],  // a call of the wrong type
            [0xa5, 0x06, 1, 2, 3, 4], [0xa1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8],  // unknown, fixed
            [0xa2, 0x06, 0x02, 1, 2], [0xa0, 0x06, 0x96, 0x01],  // unknown, other
            [0x22, 0x06, 0x0a, 0x01, 0xff, 0x0a, 0x01, 0x61],  // a key, then a better one
            [0x22, 0x06, 0x0a, 0x01, 0x61, 0x0a, 0x01, 0x00],  // a key, then one that is not text
            [0x22, 0x00], [0x22, 0x02, 0x08, 0x01], [0x12, 0x01, 0xff], [0x12, 0x01, 0x00],
        ])
    func corners(corner: [UInt8]) {
        for body in [corner + [0x08, 0x01], [0x08, 0x01] + corner] {
            let bytes = [0x12, UInt8(body.count)] + body
            let (library, hand) = (Reading(byLibrary: bytes), Reading(byHand: bytes))
            #expect(library.agrees(with: hand), "\(library) by library, \(hand) by hand")
        }
    }

    @Test("both readers agree on a frame with two kinds or with a kind in parts")
    func merged() {
        let ping = WireV1.Frame(kind: .ping(WireV1.Ping(token: 1))).encoded()
        let call = WireV1.Frame(kind: .request(WireV1.Request(call: 5))).encoded()
        let method = WireV1.Frame(kind: .request(WireV1.Request(method: "a/b"))).encoded()
        for bytes in [ping + call, call + ping, call + method, call + [0xa0, 0x06, 0x01]] {
            #expect(Reading(byLibrary: bytes) == Reading(byHand: bytes))
        }
    }
}
