/// The schema that linking adds to the identity service.
enum LinkingTables {
    /// One identity of each provider and one phone number for each account. The unique index
    /// enforces it on a storage engine with several writers, where two concurrent links could both
    /// pass the check.
    static let oneOfEachMethod = """
        DROP INDEX identities_by_account;
        CREATE UNIQUE INDEX identities_by_account ON identities (account, method);
        """
}
