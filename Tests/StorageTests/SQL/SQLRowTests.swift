import ServiceRuntime
import Storage
import Testing

@Suite("Reading a row by type")
struct SQLRowTests {
    let row = SQLRow(
        [.null, .integer(1), .real(0.5), .text("t"), .blob([9])],
        names: ["nothing", "number", "real", "text", "blob"])

    @Test("each type is read as stored")
    func typesComeBack() throws {
        #expect(try row.integer(1) == 1)
        #expect(try row.boolean(1))
        #expect(try row.timestamp(1) == Timestamp(milliseconds: 1))
        #expect(try row.text(3) == "t")
        #expect(try row.blob(4) == [9])
        #expect(try row.optionalInteger(0) == nil)
        #expect(try row.optionalText(0) == nil)
        #expect(try row.optionalBlob(0) == nil)
        #expect(try row.optionalTimestamp(0) == nil)
    }

    @Test("a column is read by its name, whatever its position")
    func byName() throws {
        #expect(try row.blob("blob") == [9])
        #expect(try row.integer("number") == 1)
        #expect(try row.optionalText("nothing") == nil)
    }

    @Test(
        "a wrong type, NULL or a missing column is an error",
        arguments: [
            SQLColumn.position(-1), 0, 2, 5, .position(.max), "nothing", "real", "absent", "",
        ])
    func othersAreErrors(_ column: SQLColumn) {
        #expect(throws: SQLError.self) { try row.integer(column) }
        #expect(throws: SQLError.self) { try row.text(column) }
        #expect(throws: SQLError.self) { try row.blob(column) }
        #expect(throws: SQLError.self) { try row.boolean(column) }
    }
}
