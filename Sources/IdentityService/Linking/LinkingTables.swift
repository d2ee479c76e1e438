/// What linking adds to identity's tables.
enum LinkingTables {
    /// One identity of a provider for an account, and one phone number: the index has the last word
    /// where an engine with several writers lets two links in at once.
    static let oneOfEachMethod = """
        DROP INDEX identities_by_account;
        CREATE UNIQUE INDEX identities_by_account ON identities (account, method);
        """
}
