import Testing

@testable import Messages

@Suite("The quick way to read and write a message is libprotobuf-c's")
struct CanonicalReaderTests {
    @Test(
        "every golden message is ordinary, and read as the library reads it", arguments: Golden.all)
    func golden(golden: Golden) throws {
        let type = try #require(AllMessages.byName[golden.name])
        let (ordinary, library) = Readings.both(golden.bytes, as: type)
        #expect(ordinary != nil)
        #expect(ordinary == library)
    }

    @Test(
        "a truncation that is taken for ordinary is what the library reads", arguments: Golden.all)
    func truncations(golden: Golden) throws {
        let type = try #require(AllMessages.byName[golden.name])
        for length in golden.bytes.indices {
            let (ordinary, library) = Readings.both(Array(golden.bytes[..<length]), as: type)
            #expect(ordinary == nil || ordinary == library, "cut at \(length)")
        }
    }

    @Test("200,000 seeded mutations: what is taken for ordinary is what the library reads")
    func mutations() throws {
        let seed: UInt64 = 20_261_121
        var mutator = Mutator(seed: seed)
        var (taken, left) = (0, 0)
        for round in 0..<200_000 {
            let golden = Golden.all[mutator.below(Golden.all.count)]
            let type = try #require(AllMessages.byName[golden.name])
            let other = Golden.all[mutator.below(Golden.all.count)]
            let bytes = mutator.mutated(golden.bytes, with: other.bytes)
            let (ordinary, library) = Readings.both(bytes, as: type)
            guard let ordinary else {
                left += 1
                continue
            }
            taken += 1
            #expect(ordinary == library, "round \(round) of seed \(seed), \(golden): \(bytes)")
        }
        // Mutations that are all left to the library, or none, would test nothing.
        #expect(taken > 20_000 && left > 20_000)
    }

    @Test("fields of every kind, at the edges of a varint, are measured as they are written")
    func numbers() {
        for shift in 0..<64 {
            for value in [UInt64(1) << shift, (UInt64(1) << shift) &- 1] {
                let frame = WireV1.Frame(kind: .ping(WireV1.Ping(token: value)))
                let account = SessionV1.Tokens(
                    accessExpiresAtMs: Int64(bitPattern: value),
                    idleExpiresAtMs: Int64(bitPattern: ~value))
                #expect(frame.encoded().count == frame.encodedByteCount)
                #expect(Readings.areEqual(frame) && Readings.areEqual(account))
            }
        }
    }

    @Test(
        "what no encoder writes is left to the library, which reads or refuses it",
        arguments: [
            // Another order, a field twice, a part in two pieces.
            ([0x12, 0x01, 0x62, 0x0a, 0x01, 0x61], true),
            ([0x0a, 0x01, 0x61, 0x0a, 0x01, 0x62], true),
            // An unknown field before, between and behind.
            ([0xa0, 0x06, 0x01, 0x0a, 0x01, 0x61], true),
            ([0x0a, 0x01, 0x61, 0xa0, 0x06, 0x01], true),
            // A long form of a tag and of a length.
            ([0x8a, 0x00, 0x01, 0x61], true),
            ([0x0a, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00, 0x61], false),
            // Text that is not sound, another wire type, a field 0, a cut field.
            ([0x0a, 0x01, 0x00], false), ([0x08, 0x01], false), ([0x00], false),
            ([0x0a, 0x01], false),
            ([0x0a], false), ([0x80], false),
        ] as [([UInt8], Bool)])
    func unordinary(bytes: [UInt8], isMessage: Bool) {
        let (ordinary, library) = Readings.both(bytes, as: RateLimitV1.Charge.self)
        #expect(ordinary == nil)
        #expect((library != nil) == isMessage)
    }

    @Test("a number over its field's width is cut as the library cuts it")
    func width() {
        let longest: [UInt8] = Array(repeating: 0xff, count: 9)
        for last: UInt8 in [0, 1, 2, 0x7f] {
            for tag: UInt8 in [0x08, 0x10, 0x18] {
                let bytes = [tag] + longest + [last]
                let (ordinary, library) = Readings.both(bytes, as: WireV1.GoAway.self)
                #expect(library != nil)
                #expect((ordinary != nil) == (last < 2))
                #expect(ordinary == nil || ordinary == library)
            }
        }
    }

    @Test("arrays take no more memory than the budget; beyond it the library reads")
    func budget() {
        let few = [UInt8](repeatElement([0x0a, 0x00], count: 8).joined())
        let many = [UInt8](repeatElement([0x0a, 0x00], count: 4_096).joined())
        #expect(Readings.both(few, as: RateLimitV1.ConsumeRequest.self).ordinary != nil)
        #expect(Readings.both(many, as: RateLimitV1.ConsumeRequest.self).ordinary == nil)
    }

    @Test("numbers in one field are read as they are written, and no others")
    func packedNumbers() throws {
        let values: [UInt64] = [0, 1, 127, 128, .max]
        var size = WireSize()
        size.numbers(10, values)
        let bytes = [UInt8](unsafeUninitializedCapacity: size.byteCount) { buffer, count in
            var writer = WireWriter(UnsafeMutableRawBufferPointer(buffer))
            writer.numbers(10, values)
            count = writer.isFull ? size.byteCount : 0
        }
        #expect(Numbers.read(bytes) == values)
        for length in 1..<bytes.count { #expect(Numbers.read(Array(bytes[..<length])) == nil) }
    }

    @Test("nothing is written behind the end of what was measured")
    func exactSize() throws {
        for golden in Golden.all {
            let type = try #require(AllMessages.byName[golden.name])
            let message = try type.init(decoding: golden.bytes)
            let room = UnsafeMutableRawBufferPointer.allocate(
                byteCount: golden.bytes.count + 8, alignment: 1)
            defer { room.deallocate() }
            room.initializeMemory(as: UInt8.self, repeating: 0xa5)
            let start = try #require(room.baseAddress)
            let count = message.encodedByteCount
            message.encode(to: start, byteCount: count)
            #expect(Array(room[..<count]) == golden.bytes)
            #expect(room[count...].allSatisfy { $0 == 0xa5 })
        }
    }
}
